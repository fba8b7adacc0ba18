// The one symbol that leaves libreelmesh_cuda.so.
#include <ATen/Context.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAGuard.h>
#include <cuda_runtime_api.h>
#include <torch/csrc/distributed/c10d/NCCLUtils.hpp>

#include <exception>

#include "comm/nccl/nccl_communicator.h"
#include "comm/nccl/nccl_group.h"
#include "device/cuda_backend.h"

namespace reelmesh {
namespace {

using DeviceBytes = c10::CachingDeviceAllocator::DeviceStats;
constexpr auto kAll = static_cast<std::size_t>(c10::CachingAllocator::StatType::AGGREGATE);

/// Before the first tensor there is no allocator to ask.
bool is_used() {
    return c10::cuda::CUDACachingAllocator::get()->initialized();
}

DeviceBytes bytes_of(int device) {
    return is_used() ? c10::cuda::CUDACachingAllocator::getDeviceStats(static_cast<c10::DeviceIndex>(device))
                     : DeviceBytes{};
}

class LoadedCudaBackend final : public CudaBackend {
public:
    std::string cuda_version() const override {
        // Asking the run time fails where the driver is too old for it: just when the answer is of use.
        return std::to_string(CUDART_VERSION / 1000) + "." + std::to_string(CUDART_VERSION % 1000 / 10);
    }
    std::string nccl_version() const override { return c10d::getNcclVersion(); }

    std::vector<CudaDevice> devices() const override {
        // Throws what is wrong where there is a driver that cannot be used; device_count() would say 0.
        const int count = c10::cuda::device_count_ensure_non_zero();
        at::globalContext().lazyInitDevice(c10::DeviceType::CUDA); // whole, before the allocator is asked
        std::vector<CudaDevice> devices;
        std::exception_ptr fault;
        for (int index = 0; index < count; ++index) {
            // One that has failed does not hide the others.
            try {
                devices.push_back(describe(index, count));
            } catch (const std::exception&) {
                fault = std::current_exception();
            }
        }
        if (devices.empty() && fault) std::rethrow_exception(fault);
        return devices;
    }

    std::vector<std::shared_ptr<Communicator>> make_nccl_group(std::span<const int> devices,
                                                               const PeerOptions& options) const override {
        return reelmesh::make_nccl_group(devices, options);
    }

    std::uint64_t peak_bytes(int device) const override {
        return static_cast<std::uint64_t>(bytes_of(device).reserved_bytes[kAll].peak);
    }
    void release_unused() const override {
        if (is_used()) c10::cuda::CUDACachingAllocator::emptyCache();
    }
    void reset_peak_bytes(int device) const override {
        if (is_used()) c10::cuda::CUDACachingAllocator::resetPeakStats(static_cast<c10::DeviceIndex>(device));
    }

private:
    static CudaDevice describe(int index, int count) {
        const c10::cuda::CUDAGuard guard(static_cast<c10::DeviceIndex>(index));
        const cudaDeviceProp& properties = *at::cuda::getDeviceProperties(index);
        CudaDevice device{.index = index,
                          .name = properties.name,
                          .major = properties.major,
                          .minor = properties.minor,
                          .reads_memory = std::vector<bool>(static_cast<std::size_t>(count), true)};
        std::size_t free = 0, total = 0;
        C10_CUDA_CHECK(cudaMemGetInfo(&free, &total));
        device.free_bytes = free;
        device.total_bytes = total;
        device.own_bytes = static_cast<std::uint64_t>(bytes_of(index).reserved_bytes[kAll].current);
        for (int peer = 0; peer < count; ++peer) {
            int reads = 1;
            if (peer != index) C10_CUDA_CHECK(cudaDeviceCanAccessPeer(&reads, index, peer));
            device.reads_memory[static_cast<std::size_t>(peer)] = reads != 0;
        }
        return device;
    }
};

} // namespace
} // namespace reelmesh

extern "C" __attribute__((visibility("default"))) reelmesh::CudaBackend* reelmesh_cuda_backend(int abi) {
    if (abi != reelmesh::kCudaBackendAbi) return nullptr;
    reelmesh::disarm_process_groups();
    static reelmesh::LoadedCudaBackend backend;
    return &backend;
}
