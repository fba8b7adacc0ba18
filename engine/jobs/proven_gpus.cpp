#include "jobs/proven_gpus.h"

#include <algorithm>
#include <exception>

#include "device/gpus.h"

namespace reelmesh {

const GpuFindings& ProvenGpus::findings() {
    const std::lock_guard lock(mutex_);
    if (findings_) return *findings_;
    const CudaBackend* backend = cuda_part().backend;
    findings_ = backend ? test_gpus(backend->devices(), should_stop_) : GpuFindings{};
    for (const std::string& notice : findings_->notices)
        log_.write(LogLevel::Warning, 0, notice);
    return *findings_;
}

GpuPairs ProvenGpus::staged() {
    return findings().staged;
}

void ProvenGpus::add_to(HardwareSnapshot& machine) {
    const GpuFindings& found = findings();
    machine.gpu_notices = found.notices;
    if (found.working.empty()) {
        if (!found.notices.empty()) machine.no_gpu_reason = found.notices.front();
        return;
    }
    std::vector<CudaDevice> devices = found.working;
    try {
        for (const CudaDevice& now : cuda_part().backend->devices())
            for (CudaDevice& device : devices)
                if (device.index == now.index) {
                    device.free_bytes = now.free_bytes;
                    device.own_bytes = now.own_bytes;
                }
    } catch (const std::exception& error) {
        // A driver that has gone: what runs there will say so, the processor is left.
        const std::string words = error.what();
        machine.no_gpu_reason =
            "The GPUs do not answer any more (" + words.substr(0, words.find('\n')) + ").";
        return;
    }
    add_gpus(machine, devices);
}

} // namespace reelmesh
