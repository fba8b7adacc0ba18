#include "jobs/proven_gpus.h"

#include <exception>

#include "base/excerpt.h"
#include "device/gpus.h"

namespace reelmesh {

const GpuFindings& ProvenGpus::findings() {
    const std::lock_guard lock(mutex_);
    if (findings_) return *findings_;
    findings_.emplace();
    const CudaBackend* backend = cuda_part().backend;
    if (!backend) return *findings_;
    try {
        findings_ = test_gpus(backend->devices(), should_stop_);
        // A stream that hangs would be waited for.
        if (findings_->staged.empty()) backend->release_unused();
    } catch (const std::exception& error) {
        findings_->notices.push_back("The GPUs could not be tested (" + first_line(error.what()) +
                                     "); they are left out.");
    }
    for (const std::string& notice : findings_->notices)
        log_.write(LogLevel::Warning, 0, notice);
    return *findings_;
}

GpuPairs ProvenGpus::staged() {
    return findings().staged;
}

GpuPairs ProvenGpus::indirect() {
    GpuPairs pairs;
    for (const CudaDevice& reader : findings().working)
        for (std::size_t source = 0; source < reader.reads_memory.size(); ++source)
            if (!reader.reads_memory[source])
                pairs.add({c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(reader.index)},
                          {c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(source)});
    return pairs;
}

void ProvenGpus::add_to(HardwareSnapshot& machine) {
    const GpuFindings& found = findings();
    machine.gpu_notices = found.notices;
    if (found.working.empty()) {
        if (!found.notices.empty()) machine.no_gpu_reason = found.notices.front();
        return;
    }
    // Those that still answer, with their memory as it is.
    std::vector<CudaDevice> devices;
    try {
        for (const CudaDevice& now : cuda_part().backend->devices())
            for (const CudaDevice& tested : found.working) {
                if (tested.index != now.index) continue;
                devices.push_back(tested);
                devices.back().free_bytes = now.free_bytes;
                devices.back().own_bytes = now.own_bytes;
            }
    } catch (const std::exception& error) {
        // A driver that has gone: what runs there will say so, the processor is left.
        machine.no_gpu_reason = "The GPUs do not answer any more (" + first_line(error.what()) + ").";
        return;
    }
    add_gpus(machine, devices);
}

} // namespace reelmesh
