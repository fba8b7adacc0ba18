#include "pipeline/remaining_time.h"

#include <algorithm>

namespace reelmesh {

RemainingTime::RemainingTime(int steps, double pixels, const DecodeSpeed& decode)
    : steps_(steps), decode_seconds_(decode.seconds_per_pixel > 0 ? decode.seconds_per_pixel * pixels : -1) {}

void RemainingTime::step_took(double seconds) {
    taken_.push_back(seconds);
}

double RemainingTime::seconds(int steps_done) const {
    if (taken_.empty() || decode_seconds_ < 0) return -1;
    // The median: a first step that warms caches up, or one that was disturbed, does not count.
    std::vector<double> sorted = taken_;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle * (steps_ - steps_done) + decode_seconds_;
}

double RemainingTime::decoding(double share_done, double seconds_so_far) {
    return share_done > 0 ? seconds_so_far / share_done * (1 - share_done) : -1;
}

} // namespace reelmesh
