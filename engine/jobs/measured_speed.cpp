#include "jobs/measured_speed.h"

namespace reelmesh {
namespace {

/// Less work or time than this measures how operations start, not how they run.
constexpr double kLeastFlop = 1e12, kLeastSeconds = 2;

} // namespace

void MeasuredSpeed::remember(double flop, double seconds) {
    if (flop < kLeastFlop || seconds < kLeastSeconds) return;
    const std::lock_guard lock(mutex_);
    flop_per_s_ = flop / seconds;
}

void MeasuredSpeed::correct(HardwareSnapshot& snapshot) const {
    const std::lock_guard lock(mutex_);
    if (flop_per_s_ == 0) return;
    for (DeviceSummary& device : snapshot.devices) {
        if (device.id != "cpu") continue;
        device.rates.gemm_flops = device.rates.attention_flops = flop_per_s_;
        device.rates.basis = "measured";
    }
}

} // namespace reelmesh
