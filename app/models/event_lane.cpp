#include "event_lane.h"

#include <algorithm>
#include <limits>

namespace reelmesh {
namespace {

bool startsBefore(const TelemetryEvent& a, const TelemetryEvent& b) {
    return a.start_ns != b.start_ns ? a.start_ns < b.start_ns : a.end_ns > b.end_ns;
}

} // namespace

LaneKey laneKeyOf(const TelemetryEvent& event) {
    LaneKey key{event.rank, event.kind, 0};
    if (event.kind == EventKind::Exchange) key.part = static_cast<std::uint8_t>(event.group);
    if (event.kind == EventKind::Block) key.part = static_cast<std::uint8_t>(event.work);
    return key;
}

LaneSum sumOf(std::span<const TelemetryEvent> events) {
    LaneSum sum;
    if (events.empty()) return sum;
    std::array<std::int64_t, kLanes> busy{};
    sum.start_ns = events.front().start_ns;
    sum.count = static_cast<std::uint32_t>(events.size());
    for (const TelemetryEvent& event : events) {
        sum.end_ns = std::max(sum.end_ns, event.end_ns);
        busy[static_cast<std::size_t>(laneOf(event))] += event.end_ns - event.start_ns;
    }
    const auto longest = std::max_element(busy.begin(), busy.end());
    sum.lane = static_cast<Lane>(longest - busy.begin());
    sum.busy_ns = *longest;
    return sum;
}

std::size_t LaneView::firstEndingAfter(std::int64_t time_ns) const {
    const auto endsBefore = [time_ns](const TelemetryEvent& event) { return event.end_ns <= time_ns; };
    std::size_t chunk = sealed();
    if (chunks_) {
        const auto found = std::partition_point(chunks_->begin(), chunks_->end(), [time_ns](const auto& one) {
            return one->whole.end_ns <= time_ns;
        });
        chunk = static_cast<std::size_t>(found - chunks_->begin());
    }
    if (chunk >= numChunks()) return size();
    const auto events = eventsOf(chunk);
    const auto first = std::partition_point(events.begin(), events.end(), endsBefore);
    return chunk * LaneChunk::kEvents + static_cast<std::size_t>(first - events.begin());
}

void EventLane::push(LaneView::Chunks& chunks, const TelemetryEvent& event) {
    if (!tail_) tail_ = std::make_shared<LaneChunk>();
    tail_->events[tailCount_++] = event;
    if (tailCount_ < LaneChunk::kEvents) return;
    const std::span<const TelemetryEvent> all(tail_->events);
    for (std::size_t i = 0; i < tail_->small.size(); ++i)
        tail_->small[i] = sumOf(all.subspan(i * LaneChunk::kSmall, LaneChunk::kSmall));
    tail_->whole = sumOf(all);
    chunks.push_back(std::move(tail_));
    tailCount_ = 0;
}

void EventLane::append(std::vector<TelemetryEvent> events) {
    if (events.empty()) return;
    if (!std::is_sorted(events.begin(), events.end(), startsBefore))
        std::stable_sort(events.begin(), events.end(), startsBefore);
    auto chunks = std::make_shared<LaneView::Chunks>(*chunks_);
    const LaneView before = view();
    if (before.size() > 0 && startsBefore(events.front(), before.at(before.size() - 1))) {
        // Rare: a thread handed in its events late.
        std::vector<TelemetryEvent> all;
        all.reserve(before.size() + events.size());
        for (std::size_t i = 0; i < before.size(); ++i)
            all.push_back(before.at(i));
        all.insert(all.end(), events.begin(), events.end());
        std::stable_sort(all.begin(), all.end(), startsBefore);
        chunks->clear();
        tail_.reset();
        tailCount_ = 0;
        events = std::move(all);
    }
    for (const TelemetryEvent& event : events)
        push(*chunks, event);
    chunks_ = std::move(chunks);
}

LaneView EventLane::view() const {
    LaneView view;
    view.chunks_ = chunks_;
    view.tail_ = tail_;
    view.tailCount_ = tailCount_;
    return view;
}

std::size_t EventLane::dropOldest() {
    if (chunks_->empty()) return 0;
    chunks_ = std::make_shared<LaneView::Chunks>(chunks_->begin() + 1, chunks_->end());
    return LaneChunk::kEvents;
}

std::int64_t EventLane::oldestStart_ns() const {
    return chunks_->empty() ? std::numeric_limits<std::int64_t>::max() : chunks_->front()->whole.start_ns;
}

} // namespace reelmesh
