#include "jobs/measured_speed.h"

#include <algorithm>
#include <set>

namespace reelmesh {
namespace {

/// Less work or time than this measures how operations start, not how they run.
constexpr double kLeastFlop = 1e12, kLeastSeconds = 2;

} // namespace

void MeasuredSpeed::remember(const std::vector<std::string>& device_of_rank, const HardwareSnapshot& machine,
                             c10::ScalarType dtype, double flop, double seconds) {
    if (flop < kLeastFlop || seconds < kLeastSeconds) return;
    const std::set<std::string> used(device_of_rank.begin(), device_of_rank.end());
    std::set<std::string> names;
    for (const DeviceSummary& device : machine.devices) {
        if (!used.contains(device.id)) continue;
        if (!is_cpu(device) && dtype == c10::ScalarType::Float) return;
        names.insert(device.name);
    }
    if (names.size() != 1) return;
    const std::lock_guard lock(mutex_);
    flop_per_s_[*names.begin()] = flop / seconds / static_cast<double>(used.size());
}

void MeasuredSpeed::correct(HardwareSnapshot& snapshot) const {
    if (!snapshot.preset.empty()) return;
    const std::lock_guard lock(mutex_);
    for (DeviceSummary& device : snapshot.devices) {
        const auto found = flop_per_s_.find(device.name);
        if (found == flop_per_s_.end()) continue;
        device.rates.gemm_flops = device.rates.attention_flops = found->second;
        device.rates.basis = "measured";
    }
}

} // namespace reelmesh
