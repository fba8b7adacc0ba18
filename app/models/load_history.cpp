#include "load_history.h"

#include <cmath>

namespace reelmesh {

void LoadHistory::add(std::int64_t time_ns, double value) {
    if (ring_.empty()) ring_.resize(kCapacity);
    if (count_ > 0 && time_ns <= at(count_ - 1).time_ns) return;
    if (count_ == kCapacity) {
        first_ = (first_ + 1) % kCapacity;
        --count_;
    }
    ring_[(first_ + count_) % kCapacity] = {time_ns, value};
    ++count_;
}

void LoadHistory::clear() {
    first_ = count_ = 0;
}

double LoadHistory::last() const {
    return count_ > 0 ? at(count_ - 1).value : LoadPoint{}.value;
}

double LoadHistory::peak() const {
    double peak = LoadPoint{}.value;
    for (const LoadPoint& point : points())
        if (!(point.value <= peak) && !std::isnan(point.value)) peak = point.value;
    return peak;
}

std::vector<LoadPoint> LoadHistory::points() const {
    std::vector<LoadPoint> points;
    if (count_ == 0) return points;
    points.reserve(count_);
    const std::int64_t oldest_ns = at(count_ - 1).time_ns - kSpan_ns;
    for (std::size_t i = 0; i < count_; ++i)
        if (at(i).time_ns >= oldest_ns) points.push_back(at(i));
    return points;
}

} // namespace reelmesh
