#include "time_axis.h"

#include <QLocale>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace reelmesh {
namespace {

constexpr double kMargin = 0.01;

struct Unit {
    double ns;
    const char* name;
};
constexpr std::array<Unit, 4> kUnits{{{1e9, "s"}, {1e6, "ms"}, {1e3, "µs"}, {1, "ns"}}};

QString inUnit(double ns, const Unit& unit, int digits) {
    return QLocale().toString(ns / unit.ns, 'f', digits) + ' ' + QString::fromUtf8(unit.name);
}

} // namespace

TimeRange keptInside(TimeRange range, const TimeRange& limits) {
    const std::int64_t length = std::min(range.end_ns - range.begin_ns, limits.end_ns - limits.begin_ns);
    range.begin_ns = std::clamp(range.begin_ns, limits.begin_ns, limits.end_ns - length);
    range.end_ns = range.begin_ns + length;
    return range;
}

TimeRange withMargin(const TimeRange& range) {
    const auto margin =
        static_cast<std::int64_t>(static_cast<double>(range.end_ns - range.begin_ns) * kMargin);
    return {range.begin_ns - margin, range.end_ns + std::max<std::int64_t>(margin, 1)};
}

TimeRange TimeAxis::zoomed(double factor, double x, const TimeRange& limits) const {
    const double longest = static_cast<double>(limits.end_ns - limits.begin_ns);
    const double before = static_cast<double>(range_.end_ns - range_.begin_ns);
    const double length = std::clamp(before * factor, static_cast<double>(kShortest_ns),
                                     std::max(longest, static_cast<double>(kShortest_ns)));
    const double share = width_ > 0 ? x / width_ : 0.5;
    TimeRange range;
    range.begin_ns = time_ns(x) - static_cast<std::int64_t>(share * length);
    range.end_ns = range.begin_ns + static_cast<std::int64_t>(length);
    return keptInside(range, limits);
}

TimeRange TimeAxis::panned(double pixels, const TimeRange& limits) const {
    const auto shift = static_cast<std::int64_t>(pixels * nsPerPixel());
    return keptInside({range_.begin_ns + shift, range_.end_ns + shift}, limits);
}

std::int64_t rulerStep_ns(double least_ns) {
    const double power = std::pow(10.0, std::floor(std::log10(std::max(least_ns, 1.0))));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= least_ns) return std::max<std::int64_t>(1, std::llround(factor * power));
    return std::llround(10 * power);
}

QString timeText(std::int64_t time_ns, double resolution_ns) {
    const double size = std::max(std::abs(static_cast<double>(time_ns)), resolution_ns);
    const auto unit =
        std::find_if(kUnits.begin(), kUnits.end() - 1, [size](const Unit& one) { return size >= one.ns; });
    const int digits =
        std::clamp(static_cast<int>(std::ceil(std::log10(unit->ns / resolution_ns) - 1e-9)), 0, 9);
    return inUnit(static_cast<double>(time_ns), *unit, digits);
}

QString durationText(std::int64_t ns) {
    const auto size = static_cast<double>(ns);
    const auto unit = std::find_if(kUnits.begin(), kUnits.end() - 1,
                                   [size](const Unit& one) { return size >= one.ns * 0.1; });
    return inUnit(size, *unit, unit->ns == 1 ? 0 : 2);
}

} // namespace reelmesh
