#include "event_search.h"

#include <algorithm>

namespace reelmesh {

std::optional<EventRef> findEvent(const TraceView& view, const std::vector<LaneKey>& lanes,
                                  std::int64_t time_ns, std::int64_t tolerance_ns) {
    std::optional<EventRef> nearest;
    std::int64_t distance = tolerance_ns + 1;
    for (const LaneKey& key : lanes) {
        const LaneView* lane = view.lane(key);
        if (!lane) continue;
        for (std::size_t i = lane->firstEndingAfter(time_ns - tolerance_ns); i < lane->size(); ++i) {
            const TelemetryEvent& event = lane->at(i);
            if (event.start_ns > time_ns + tolerance_ns) break;
            if (event.start_ns <= time_ns && time_ns < event.end_ns) return EventRef{key, i};
            const std::int64_t away =
                event.start_ns > time_ns ? event.start_ns - time_ns : time_ns - event.end_ns + 1;
            if (away >= distance) continue;
            distance = away;
            nearest = EventRef{key, i};
        }
    }
    return nearest;
}

std::optional<EventRef> neighbourOf(const TraceView& view, const EventRef& ref, int step) {
    const LaneView* lane = view.lane(ref.lane);
    if (!lane || (step < 0 && ref.index == 0) || (step > 0 && ref.index + 1 >= lane->size()))
        return std::nullopt;
    return EventRef{ref.lane, step < 0 ? ref.index - 1 : ref.index + 1};
}

std::vector<EventRef> collectiveMembers(const TraceView& view, const EventRef& ref) {
    const std::optional<TelemetryEvent> event = eventAt(view, ref);
    std::vector<EventRef> members;
    if (!event || event->kind != EventKind::Exchange) return members;
    const CollectiveKey wanted = collective_of(*event);
    for (const RankGroup& group : view.groups) {
        if (group.link.group != event->group || group.link.firstRank != event->first_rank) continue;
        for (const int rank : group.ranks) {
            const LaneKey key{static_cast<std::int16_t>(rank), EventKind::Exchange,
                              static_cast<std::uint8_t>(event->group)};
            const LaneView* lane = view.lane(key);
            if (!lane) continue;
            // Members of one call end within it of one another; those of others that lie between are few.
            for (std::size_t i = lane->firstEndingAfter(event->start_ns - 1); i < lane->size(); ++i) {
                const TelemetryEvent& other = lane->at(i);
                if (collective_of(other) == wanted) {
                    members.push_back({key, i});
                    break;
                }
                if (other.start_ns > event->end_ns) break;
            }
        }
    }
    return members;
}

std::optional<EventRef> onNextRank(const TraceView& view, const EventRef& ref, int step) {
    const std::vector<EventRef> members = collectiveMembers(view, ref);
    const auto own = std::find(members.begin(), members.end(), ref);
    if (own == members.end() || members.size() < 2) return std::nullopt;
    const auto count = static_cast<std::ptrdiff_t>(members.size());
    return members[static_cast<std::size_t>((own - members.begin() + step + count) % count)];
}

} // namespace reelmesh
