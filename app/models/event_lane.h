// The events of one kind of one rank in order of start, with sums of 16 and of 256 of them, so that a view of
// everything reads few numbers. Grows on one thread; views of it are cheap to take, immutable, and may be
// read by any thread while the lane grows.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "engine/telemetry.h"
#include "theme/lanes.h"

namespace reelmesh {

/// What a lane holds: events of one rank that follow one another.
struct LaneKey {
    std::int16_t rank = -1; ///< -1: host
    EventKind kind = EventKind::None;
    std::uint8_t part = 0; ///< ExchangeGroup of exchanges, EventWork of blocks
    auto operator<=>(const LaneKey&) const = default;
};
LaneKey laneKeyOf(const TelemetryEvent& event);

/// Some events as one.
struct LaneSum {
    std::int64_t start_ns = 0, end_ns = 0;
    std::int64_t busy_ns = 0; ///< of the colour that lasts longest
    std::uint32_t count = 0;
    Lane lane = Lane::Attention; ///< that colour
};
LaneSum sumOf(std::span<const TelemetryEvent> events);

struct LaneChunk {
    static constexpr std::size_t kEvents = 256, kSmall = 16;

    std::array<TelemetryEvent, kEvents> events;
    std::array<LaneSum, kEvents / kSmall> small; ///< once the chunk is full
    LaneSum whole;                               ///< once the chunk is full
};

/// What a lane held at one instant.
class LaneView {
public:
    std::size_t size() const { return sealed() * LaneChunk::kEvents + tailCount_; }
    const TelemetryEvent& at(std::size_t index) const {
        return chunk(index / LaneChunk::kEvents).events[index % LaneChunk::kEvents];
    }
    /// Full chunks; one more, without sums, may follow.
    std::size_t sealed() const { return chunks_ ? chunks_->size() : 0; }
    const LaneChunk& chunk(std::size_t index) const { return index < sealed() ? *(*chunks_)[index] : *tail_; }
    /// Of a chunk without sums too.
    std::span<const TelemetryEvent> eventsOf(std::size_t chunk) const {
        return {this->chunk(chunk).events.data(), chunk < sealed() ? LaneChunk::kEvents : tailCount_};
    }
    std::size_t numChunks() const { return sealed() + (tailCount_ > 0 ? 1 : 0); }
    /// The first event that ends after the time; size(): none.
    std::size_t firstEndingAfter(std::int64_t time_ns) const;

private:
    friend class EventLane;
    using Chunks = std::vector<std::shared_ptr<const LaneChunk>>;

    std::shared_ptr<const Chunks> chunks_;
    std::shared_ptr<const LaneChunk> tail_;
    std::size_t tailCount_ = 0;
};

class EventLane {
public:
    EventLane() : chunks_(std::make_shared<LaneView::Chunks>()) {}

    /// In any order among themselves; later than those before costs least.
    void append(std::vector<TelemetryEvent> events);
    LaneView view() const;
    std::size_t size() const { return chunks_->size() * LaneChunk::kEvents + tailCount_; }
    /// Forgets the oldest full chunk; the events in it.
    std::size_t dropOldest();
    std::int64_t oldestStart_ns() const;

private:
    void push(LaneView::Chunks& chunks, const TelemetryEvent& event);

    std::shared_ptr<LaneView::Chunks> chunks_; ///< replaced, never changed: views share it
    std::shared_ptr<LaneChunk> tail_;          ///< views read what is before tailCount_ alone
    std::size_t tailCount_ = 0;
};

} // namespace reelmesh
