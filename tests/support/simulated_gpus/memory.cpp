#include "support/simulated_gpus/memory.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>

#include "support/simulated_gpus/broken.h"
#include "support/simulated_gpus/streams.h"

namespace reelmesh::testing {
namespace {

constexpr std::uint64_t kGranule = 512;
constexpr std::uint64_t kKeptAfterPoison = std::uint64_t{64} << 20;

struct Block {
    void* data = nullptr;
    std::uint64_t bytes = 0;
    c10::Stream stream;
};

struct Memory {
    std::mutex mutex;
    std::array<GpuBytes, kSimulatedGpus> bytes;
    std::deque<std::pair<void*, std::uint64_t>>
        poisoned; ///< not given back at once: late readers see the poison
    std::uint64_t poisoned_bytes = 0;
};
Memory& memory() {
    static Memory& all = *new Memory;
    return all;
}

void poison(void* data, std::uint64_t bytes) {
    std::memset(data, 0xFF, bytes);
    Memory& all = memory();
    const std::lock_guard lock(all.mutex);
    all.poisoned.emplace_back(data, bytes);
    all.poisoned_bytes += bytes;
    while (all.poisoned_bytes > kKeptAfterPoison) {
        std::free(all.poisoned.front().first);
        all.poisoned_bytes -= all.poisoned.front().second;
        all.poisoned.pop_front();
    }
}

void release(void* context) {
    const auto* block = static_cast<Block*>(context);
    {
        Memory& all = memory();
        const std::lock_guard lock(all.mutex);
        all.bytes[static_cast<std::size_t>(block->stream.device_index())].now -= block->bytes;
    }
    enqueue(block->stream, [data = block->data, bytes = block->bytes] { poison(data, bytes); });
    delete block;
}

struct SimulatedAllocator final : c10::Allocator {
    c10::DataPtr allocate(std::size_t size) override {
        const c10::DeviceIndex device = current_gpu();
        const c10::Device place(c10::DeviceType::CUDA, device);
        if (size == 0) return {nullptr, place};
        const std::uint64_t bytes = (size + kGranule - 1) / kGranule * kGranule;
        {
            Memory& all = memory();
            const std::lock_guard lock(all.mutex);
            GpuBytes& used = all.bytes[static_cast<std::size_t>(device)];
            TORCH_CHECK_WITH(OutOfMemoryError,
                             used.now + bytes <= kSimulatedGpuBytes && !is_broken(Broken::Full),
                             "CUDA out of memory: the simulated GPU has no ", bytes, " bytes left");
            used.now += bytes;
            used.peak = std::max(used.peak, used.now);
        }
        void* data = std::aligned_alloc(kGranule, bytes);
        std::memset(data, 0xFF, bytes); // NaN
        return {data, new Block{data, bytes, current_stream(device)}, &release, place};
    }
    c10::DeleterFnPtr raw_deleter() const override { return &release; }
    void copy_data(void* to, const void* from, std::size_t count) const override {
        default_copy_data(to, from, count);
    }
};

} // namespace

GpuBytes gpu_bytes(c10::DeviceIndex device) {
    const std::lock_guard lock(memory().mutex);
    return memory().bytes[static_cast<std::size_t>(device)];
}

void reset_gpu_peak(c10::DeviceIndex device) {
    const std::lock_guard lock(memory().mutex);
    GpuBytes& used = memory().bytes[static_cast<std::size_t>(device)];
    used.peak = used.now;
}

c10::Allocator* simulated_gpu_allocator() {
    static SimulatedAllocator allocator;
    return &allocator;
}

} // namespace reelmesh::testing
