#include "mesh/gpu_self_test.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/Event.h>
#include <c10/core/InferenceMode.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <future>
#include <memory>
#include <thread>

#include "base/excerpt.h"
#include "mesh/rank_thread.h"
#include "ops/attention.h"

namespace reelmesh {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kMeasuredBytes = 32 << 20;
constexpr std::chrono::seconds kLinkPatience = kSelfTestPatience / 2;
constexpr double kFloatBound = 1e-4, kHalfBound = 2e-2; ///< relative L2

c10::Device gpu(int index) {
    return {at::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

std::string name_of(int index) {
    return gpu(index).str();
}

/// Of the pool that ranks do not use: one that hangs is not handed to a rank.
c10::Stream test_stream(c10::Device device) {
    return c10::impl::VirtualGuardImpl(device.type())
        .getStreamFromGlobalPool(device, /*isHighPriority=*/true);
}

c10::Event recorded(c10::Stream stream) {
    c10::Event event(stream.device_type(), c10::EventFlag::BACKEND_DEFAULT);
    event.record(stream);
    return event;
}

bool ends_in_time(const c10::Event& event, Clock::time_point deadline,
                  const std::function<bool()>& should_stop) {
    while (!event.query()) {
        if (Clock::now() > deadline || should_stop()) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

/// Operations that a model is made of, each on its inputs.
struct Check {
    const char* name;
    std::vector<at::Tensor> inputs;
    double bound;
    at::Tensor (*compute)(const std::vector<at::Tensor>& inputs);
};

std::vector<Check> checks(bool half_precision) {
    const at::Generator random = at::detail::createCPUGenerator(/*seed=*/7);
    const auto some = [&](at::IntArrayRef shape) { return at::randn(shape, random); };
    const auto product = [](const std::vector<at::Tensor>& in) { return at::mm(in[0], in[1]); };
    std::vector<Check> all;
    all.push_back({"a matrix product", {some({96, 256}), some({256, 160})}, kFloatBound, product});
    all.push_back(
        {"attention",
         {some({8, 96, 64}), some({8, 80, 64}), some({8, 80, 64})},
         kFloatBound,
         [](const std::vector<at::Tensor>& in) { return ops::attention(in[0], in[1], in[2], 0.125); }});
    all.push_back({"a convolution",
                   {some({1, 16, 24, 24}), some({32, 16, 3, 3})},
                   kFloatBound,
                   [](const std::vector<at::Tensor>& in) { return at::conv2d(in[0], in[1], {}, 1, 1); }});
    if (half_precision)
        all.push_back({"a bf16 matrix product",
                       {all[0].inputs[0].to(at::kBFloat16), all[0].inputs[1].to(at::kBFloat16)},
                       kHalfBound,
                       product});
    return all;
}

/// All that a device was given to compute: what hangs needs its memory for good.
struct Computation {
    std::vector<Check> checks;
    std::vector<at::Tensor> inputs, results;
};

/// "": right; else what is wrong, as the end of a sentence about the device.
std::string fault_of(const CudaDevice& device, const std::function<bool()>& should_stop) {
    try {
        const c10::InferenceMode inference;
        set_exact_arithmetic();
        const c10::Device place = gpu(device.index);
        const c10::DeviceGuard guard(place);
        const c10::Stream stream = test_stream(place);
        const CurrentStream current(stream);
        auto work = std::make_unique<Computation>();
        work->checks = checks(device.fast_bf16());
        for (const Check& check : work->checks) {
            std::vector<at::Tensor> inputs;
            for (const at::Tensor& input : check.inputs)
                inputs.push_back(input.to(place));
            work->results.push_back(check.compute(inputs).to(at::kDouble));
            work->inputs.insert(work->inputs.end(), inputs.begin(), inputs.end());
        }
        if (!ends_in_time(recorded(stream), Clock::now() + kSelfTestPatience, should_stop)) {
            [[maybe_unused]] const Computation* left = work.release();
            return "does not finish what it was given";
        }
        for (std::size_t i = 0; i < work->checks.size(); ++i) {
            const Check& check = work->checks[i];
            const at::Tensor found = work->results[i].cpu(),
                             needed = check.compute(check.inputs).to(at::kDouble);
            const double distance = ((found - needed).norm() / needed.norm()).item<double>();
            if (!(distance <= check.bound))
                return "computes " + std::string(check.name) + " wrongly (" + std::to_string(distance) +
                       " from the CPU's, at most " + std::to_string(check.bound) + " is expected)";
        }
        return "";
    } catch (const std::exception& error) {
        return "cannot compute (" + first_line(error.what()) + ")";
    }
}

/// Bytes under way from one device's memory to another's.
struct Transfer {
    int source, reader;
    c10::Stream reads, writes;
    at::Tensor from, to;
    c10::Event end{at::kCUDA};

    Transfer(int source_index, int reader_index)
        : source(source_index), reader(reader_index), reads(test_stream(gpu(source))),
          writes(test_stream(gpu(reader))) {}

    template <class F>
    auto on_streams(F&& function) const {
        const c10::DeviceGuard device(gpu(reader));
        const CurrentStream reading(reads), writing(writes);
        return function();
    }
    /// Bytes as they lie, and values across rows, which a kernel moves.
    void start() {
        on_streams([&] {
            constexpr std::int64_t kSide = 512;
            const at::Tensor pattern = at::arange(kSide * kSide, at::kInt).mul_(40503).add_(reader);
            from = pattern.view({kSide, kSide}).to(gpu(source));
            to = at::full({2, kSide, kSide}, -1, at::TensorOptions(at::kInt).device(gpu(reader)));
            to[0].copy_(from, /*non_blocking=*/true);
            to[1].copy_(from.t(), /*non_blocking=*/true);
            end = recorded(writes);
        });
    }
    bool is_intact() const {
        return on_streams([&] {
            const at::Tensor needed = from.cpu(), found = to.cpu();
            return found[0].equal(needed) && found[1].equal(needed.t());
        });
    }
    /// Of a path that works; 0: it does not end.
    double bytes_per_s(const std::function<bool()>& should_stop) {
        return on_streams([&] {
            from = at::empty({kMeasuredBytes}, at::TensorOptions(at::kByte).device(gpu(source)));
            to = at::empty({kMeasuredBytes}, at::TensorOptions(at::kByte).device(gpu(reader)));
            const c10::Event begin = recorded(writes);
            to.copy_(from, /*non_blocking=*/true);
            end = recorded(writes);
            if (!ends_in_time(end, Clock::now() + kLinkPatience, should_stop)) return 0.0;
            return static_cast<double>(kMeasuredBytes) / (std::max(begin.elapsedTime(end), 1e-3) * 1e-3);
        });
    }
};

std::string staged_notice(int source, int reader, const char* what) {
    return name_of(reader) + " reading " + name_of(source) + "'s memory " + what +
           "; the two exchange through the host's memory, which is slower. Turning off PCIe access control "
           "(ACS) or "
           "the IOMMU usually mends it.";
}

/// One pair after the other: behind a copy that hangs even asking for memory may never end, so what comes
/// after it is not tried and goes through the host.
void test_links(GpuFindings& findings, const std::function<bool()>& should_stop) {
    bool hangs = false;
    for (const CudaDevice& source : findings.working)
        for (CudaDevice& reader : findings.working) {
            if (source.index == reader.index) continue;
            const auto refuse = [&](const char* what) {
                if (!findings.staged.has(gpu(source.index), gpu(reader.index)))
                    findings.notices.push_back(staged_notice(source.index, reader.index, what));
                findings.staged.add(gpu(source.index), gpu(reader.index));
            };
            if (hangs) {
                refuse("was not tried");
                continue;
            }
            auto transfer = std::make_unique<Transfer>(source.index, reader.index);
            transfer->start();
            hangs = !ends_in_time(transfer->end, Clock::now() + kLinkPatience, should_stop);
            if (!hangs && !transfer->is_intact()) {
                refuse("gets other bytes");
                continue;
            }
            const double rate = hangs ? 0 : transfer->bytes_per_s(should_stop);
            hangs = hangs || rate == 0;
            if (hangs) {
                refuse("never ends");
                // A copy that is still under way needs its memory for good.
                [[maybe_unused]] const Transfer* left = transfer.release();
                continue;
            }
            reader.bytes_per_s[static_cast<std::size_t>(source.index)] = rate;
        }
}

} // namespace

GpuFindings test_gpus(const std::vector<CudaDevice>& devices, const std::function<bool()>& should_stop) {
    // Side by side: starting the libraries takes each device its time.
    std::vector<std::future<std::string>> faults;
    for (const CudaDevice& device : devices)
        faults.push_back(std::async(std::launch::async, [&] { return fault_of(device, should_stop); }));
    GpuFindings findings;
    for (const auto& fault : faults)
        fault.wait();
    if (should_stop()) return findings;
    for (std::size_t i = 0; i < devices.size(); ++i) {
        const std::string fault = faults[i].get();
        if (fault.empty()) {
            findings.working.push_back(devices[i]);
            findings.working.back().bytes_per_s.assign(devices[i].reads_memory.size(), 0);
        } else {
            findings.notices.push_back(name_of(devices[i].index) + " (" + devices[i].name + ") " + fault +
                                       "; it is left out.");
        }
    }
    try {
        const c10::InferenceMode inference;
        test_links(findings, should_stop);
    } catch (const std::exception& error) {
        for (const CudaDevice& a : findings.working)
            for (const CudaDevice& b : findings.working)
                if (a.index != b.index) findings.staged.add(gpu(a.index), gpu(b.index));
        findings.notices.push_back("The links between the GPUs could not be tested (" +
                                   first_line(error.what()) +
                                   "); they exchange through the host's memory, which is slower.");
    }
    if (should_stop()) return {};
    for (CudaDevice& device : findings.working)
        for (const CudaDevice& other : findings.working)
            if (findings.staged.has(gpu(device.index), gpu(other.index)))
                device.reads_memory[static_cast<std::size_t>(other.index)] = false;
    return findings;
}

} // namespace reelmesh
