#include "pipeline/remaining_time.h"

#include <algorithm>

namespace reelmesh {

double RemainingTime::seconds(int steps_done) const {
    if (taken_.empty()) return -1;
    // The median: a first step that warms caches up, or one that was disturbed, does not count.
    std::vector<double> sorted = taken_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    const double decode =
        decode_.measured_seconds > 0 ? decode_.measured_seconds : *middle * decode_.in_steps;
    return *middle * (steps_ - steps_done) + decode;
}

double RemainingTime::decoding(double share_done, double seconds_so_far) {
    return share_done > 0 ? seconds_so_far / share_done * (1 - share_done) : -1;
}

} // namespace reelmesh
