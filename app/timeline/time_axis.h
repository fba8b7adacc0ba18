// Time to pixels and back, zoom and pan. Plain values; any thread.
#pragma once

#include <QString>

#include "models/view_focus.h"

namespace reelmesh {

class TimeAxis {
public:
    static constexpr std::int64_t kShortest_ns = 200;

    TimeAxis() = default;
    TimeAxis(const TimeRange& range, double width) : range_(range), width_(width) {}

    const TimeRange& range() const { return range_; }
    double width() const { return width_; }
    double nsPerPixel() const {
        return width_ > 0 ? static_cast<double>(range_.end_ns - range_.begin_ns) / width_ : 1;
    }
    double x(std::int64_t time_ns) const {
        return static_cast<double>(time_ns - range_.begin_ns) / nsPerPixel();
    }
    std::int64_t time_ns(double x) const {
        return range_.begin_ns + static_cast<std::int64_t>(x * nsPerPixel());
    }

    /// The instant at x stays where it is. Never outside the limits, never shorter than kShortest_ns.
    TimeRange zoomed(double factor, double x, const TimeRange& limits) const;
    TimeRange panned(double pixels, const TimeRange& limits) const;

private:
    TimeRange range_{0, 1};
    double width_ = 1;
};

/// Into the limits, without changing its length unless it is longer than they are.
TimeRange keptInside(TimeRange range, const TimeRange& limits);
/// With a margin, so that the ends do not stick to the edges.
TimeRange withMargin(const TimeRange& range);
/// Distance of ruler marks that leaves at least so many nanoseconds between them: 1, 2 or 5 times a power of
/// ten.
std::int64_t rulerStep_ns(double least_ns);
/// "330.56 ms", "12.4 s", "850 ns"; digits for a resolution of so many nanoseconds.
QString timeText(std::int64_t time_ns, double resolution_ns);
/// "0.74 ms", "12.31 µs".
QString durationText(std::int64_t ns);

} // namespace reelmesh
