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

#include "mesh/rank_thread.h"
#include "ops/attention.h"

namespace reelmesh {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kPatternBytes = 1 << 20, kMeasuredBytes = 64 << 20;
constexpr double kFloatBound = 1e-5, kHalfBound = 2e-2; ///< relative L2

c10::Device gpu(int index) {
    return {at::kCUDA, static_cast<c10::DeviceIndex>(index)};
}

std::string name_of(int index) {
    return gpu(index).str();
}

/// Of the pool that ranks do not use: a stream that hangs is never handed out again.
c10::Stream test_stream(c10::Device device) {
    return c10::impl::VirtualGuardImpl(device.type())
        .getStreamFromGlobalPool(device, /*isHighPriority=*/true);
}

/// Makes the stream the thread's current one on its device, the device stays.
class CurrentStream {
public:
    explicit CurrentStream(c10::Stream stream)
        : guard_(stream.device_type()), previous_(guard_.exchangeStream(stream)) {}
    ~CurrentStream() { guard_.exchangeStream(previous_); }
    CurrentStream(const CurrentStream&) = delete;
    CurrentStream& operator=(const CurrentStream&) = delete;

private:
    c10::impl::VirtualGuardImpl guard_;
    c10::Stream previous_;
};

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

/// "": right; else what is wrong, as the end of a sentence about the device.
std::string fault_of(const CudaDevice& device, const std::function<bool()>& should_stop) {
    constexpr int kFirstWithBf16 = 8;
    try {
        const c10::InferenceMode inference;
        const RankDevice here(gpu(device.index), test_stream(gpu(device.index)));
        for (const Check& check : checks(device.major >= kFirstWithBf16)) {
            if (should_stop()) return "was not tested";
            std::vector<at::Tensor> inputs;
            for (const at::Tensor& input : check.inputs)
                inputs.push_back(input.to(gpu(device.index)));
            const at::Tensor found = check.compute(inputs).to(at::kDouble).cpu();
            const at::Tensor needed = check.compute(check.inputs).to(at::kDouble);
            const double distance = ((found - needed).norm() / needed.norm()).item<double>();
            if (!(distance <= check.bound))
                return "computes " + std::string(check.name) + " wrongly (" + std::to_string(distance) +
                       " from the CPU's, at most " + std::to_string(check.bound) + " is expected)";
        }
        return "";
    } catch (const std::exception& error) {
        const std::string words = error.what(); // LibTorch adds a stack below
        return "cannot compute (" + words.substr(0, words.find('\n')) + ")";
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
    void start(std::int64_t bytes) {
        on_streams([&] {
            const at::Tensor pattern = at::arange(bytes / 4, at::kInt).mul_(2654435761 % 100003).add_(reader);
            from = pattern.to(gpu(source));
            to = at::full({bytes / 4}, -1, at::TensorOptions(at::kInt).device(gpu(reader)));
            to.copy_(from, /*non_blocking=*/true);
            end = recorded(writes);
        });
    }
    bool is_intact() const {
        return on_streams([&] { return to.cpu().equal(from.cpu()); });
    }
    /// Of a path that works; 0: it does not end.
    double bytes_per_s(Clock::time_point deadline, const std::function<bool()>& should_stop) const {
        return on_streams([&] {
            const at::Tensor much =
                at::empty({kMeasuredBytes}, at::TensorOptions(at::kByte).device(gpu(source)));
            const at::Tensor target =
                at::empty({kMeasuredBytes}, at::TensorOptions(at::kByte).device(gpu(reader)));
            const c10::Event begin = recorded(writes);
            target.copy_(much, /*non_blocking=*/true);
            const c10::Event done = recorded(writes);
            if (!ends_in_time(done, deadline, should_stop)) return 0.0;
            const double milliseconds = begin.elapsedTime(done);
            return milliseconds > 0 ? static_cast<double>(kMeasuredBytes) / (milliseconds * 1e-3) : 0.0;
        });
    }
};

std::string staged_notice(int source, int reader, const char* what) {
    return name_of(reader) + " reading " + name_of(source) + "'s memory " + what +
           "; the two exchange through the host's memory, which is slower. Turning off PCIe access control "
           "(ACS) or "
           "the IOMMU usually mends it.";
}

void test_links(GpuFindings& findings, const std::function<bool()>& should_stop) {
    std::vector<std::unique_ptr<Transfer>> transfers;
    for (const CudaDevice& source : findings.working)
        for (const CudaDevice& reader : findings.working)
            if (source.index != reader.index)
                transfers.push_back(std::make_unique<Transfer>(source.index, reader.index));
    for (const auto& transfer : transfers)
        transfer->start(kPatternBytes);
    auto deadline = Clock::now() + kSelfTestPatience / 2;
    std::vector<const Transfer*> good;
    for (auto& transfer : transfers) {
        const c10::Device source = gpu(transfer->source), reader = gpu(transfer->reader);
        const bool ends = ends_in_time(transfer->end, deadline, should_stop);
        if (ends && transfer->is_intact()) {
            good.push_back(transfer.get());
            continue;
        }
        if (!findings.staged.has(source, reader))
            findings.notices.push_back(
                staged_notice(transfer->source, transfer->reader, ends ? "gets other bytes" : "never ends"));
        findings.staged.add(source, reader);
        // A copy that is still under way needs its memory for good.
        if (!ends) [[maybe_unused]]
            const Transfer* left = transfer.release();
    }
    deadline = Clock::now() + kSelfTestPatience / 2;
    for (const Transfer* transfer : good) {
        if (findings.staged.has(gpu(transfer->source), gpu(transfer->reader))) continue;
        const double rate = transfer->bytes_per_s(deadline, should_stop);
        for (CudaDevice& device : findings.working)
            if (device.index == transfer->reader)
                device.bytes_per_s[static_cast<std::size_t>(transfer->source)] = rate;
    }
}

} // namespace

GpuFindings test_gpus(const std::vector<CudaDevice>& devices, const std::function<bool()>& should_stop) {
    // Side by side: starting the libraries takes each device its time.
    std::vector<std::future<std::string>> faults;
    for (const CudaDevice& device : devices)
        faults.push_back(std::async(std::launch::async, [&] { return fault_of(device, should_stop); }));
    GpuFindings findings;
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
        const std::string words = error.what();
        for (const CudaDevice& a : findings.working)
            for (const CudaDevice& b : findings.working)
                if (a.index != b.index) findings.staged.add(gpu(a.index), gpu(b.index));
        findings.notices.push_back("The links between the GPUs could not be tested (" +
                                   words.substr(0, words.find('\n')) +
                                   "); they exchange through the host's memory, which is slower.");
    }
    for (CudaDevice& device : findings.working)
        for (const CudaDevice& other : findings.working)
            if (findings.staged.has(gpu(device.index), gpu(other.index)))
                device.reads_memory[static_cast<std::size_t>(other.index)] = false;
    return findings;
}

} // namespace reelmesh
