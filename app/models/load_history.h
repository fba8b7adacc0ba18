// The last minute of one quantity: time and value, NaN where nobody knew. A ring of fixed size; nothing is
// allocated after the first value. Plain value, any one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace reelmesh {

struct LoadPoint {
    std::int64_t time_ns = 0;
    double value = std::numeric_limits<double>::quiet_NaN();
};

class LoadHistory {
public:
    static constexpr std::int64_t kSpan_ns = 60'000'000'000;
    /// Four samples a second, and a few that came close together.
    static constexpr std::size_t kCapacity = 256;
    /// Between values further apart nobody looked: no line joins them.
    static constexpr std::int64_t kGap_ns = 2'500'000'000;

    /// Times do not go back; a value at the time of the last one is ignored.
    void add(std::int64_t time_ns, double value);
    void clear();

    /// The last value; NaN: unknown.
    double last() const;
    /// The highest one of the span; NaN: none is known.
    double peak() const;
    /// Of the span that ends with the last value, oldest first.
    std::vector<LoadPoint> points() const;

private:
    const LoadPoint& at(std::size_t i) const { return ring_[(first_ + i) % kCapacity]; }

    std::vector<LoadPoint> ring_;
    std::size_t first_ = 0, count_ = 0;
};

} // namespace reelmesh
