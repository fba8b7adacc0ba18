#include "collective_row.h"

#include <QStringList>

#include "timeline/event_text.h"

namespace reelmesh {
namespace {

constexpr int kHeight = 17, kTop = 2, kBand = 12;

} // namespace

int CollectiveRow::height() const {
    return kHeight;
}

LaneKey CollectiveRow::lane() const {
    return {static_cast<std::int16_t>(group_.link.firstRank), EventKind::Exchange,
            static_cast<std::uint8_t>(group_.link.group)};
}

TimelineRow::Head CollectiveRow::head(const TraceView& view) const {
    Head head;
    head.name = QLatin1String(exchange_group_name(group_.link.group));
    // All but the place on the axis itself, which the ranks of the group differ in.
    QStringList places = view.rankPlace(group_.link.firstRank).split(' ');
    if (group_.link.group == ExchangeGroup::Vae) places.clear();
    places.removeIf([&head](const QString& place) { return !place.isEmpty() && place[0] == head.name[0]; });
    head.place = places.join(' ');
    head.remark = bytesText(group_.bytes);
    return head;
}

std::vector<DrawBand> CollectiveRow::prepare(const PrepareInput& input) const {
    DrawBand band{.top = kTop, .height = kBand};
    addLayer(input, {lane()}, LabelMode::None, band);
    return {band};
}

std::vector<LaneKey> CollectiveRow::lanesAt(const TraceView&, int y) const {
    if (y < kTop || y >= kTop + kBand) return {};
    return {lane()};
}

} // namespace reelmesh
