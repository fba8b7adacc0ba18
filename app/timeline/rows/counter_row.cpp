#include "counter_row.h"

#include <QLocale>

#include <algorithm>
#include <cmath>
#include <limits>

#include "timeline/event_text.h"

namespace reelmesh {
namespace {

constexpr int kHeight = 24, kTop = 2, kBand = 20;

QString valueText(double value, const std::string& unit) {
    if (std::isnan(value)) return QStringLiteral("–");
    if (unit == "B/s") return transferRateText(value);
    return (QLocale().toString(value, 'f', value < 10 ? 1 : 0) + ' ' + QString::fromStdString(unit))
        .trimmed();
}

} // namespace

int CounterRow::height() const {
    return kHeight;
}

TimelineRow::Head CounterRow::head(const TraceView&) const {
    Head head{.name = QString::fromStdString(counter_->name)};
    if (!counter_->values.empty()) head.remark = valueText(counter_->values.back(), counter_->unit);
    return head;
}

// One point a pixel column at most: the highest of the samples that share it.
std::vector<DrawBand> CounterRow::prepare(const PrepareInput& input) const {
    DrawBand band{.top = kTop, .height = kBand, .curveLane = lane_};
    double highest = 0;
    for (const double value : counter_->values)
        if (value > highest) highest = value;
    const auto& times = counter_->times_ns;
    auto at = std::lower_bound(times.begin(), times.end(), input.axis.range().begin_ns);
    if (at != times.begin()) --at;
    for (; at != times.end(); ++at) {
        const double value = counter_->values[static_cast<std::size_t>(at - times.begin())];
        const double x = std::floor(input.axis.x(*at));
        const double share = highest > 0 ? value / highest : 0;
        if (!band.curve.empty() && band.curve.back().x() == x) {
            band.curve.back().setY(std::fmax(band.curve.back().y(), share));
        } else {
            band.curve.emplace_back(x, share);
        }
        if (*at > input.axis.range().end_ns) break;
    }
    return {band};
}

} // namespace reelmesh
