// Records events of one thread into a ring; the collector empties it from another thread.
// One producer, one consumer; a full ring overwrites nothing and counts what was dropped.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/telemetry.h"

namespace reelmesh {

/// Steady clock in nanoseconds since the process first asked.
std::int64_t steady_now_ns();

class TelemetryWriter {
public:
    explicit TelemetryWriter(std::int16_t rank, std::size_t capacity = 1 << 14);

    std::int16_t rank() const { return rank_; }
    void write(const TelemetryEvent& event);       ///< producer; fills in the rank
    void drain(std::vector<TelemetryEvent>& into); ///< consumer
    std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

private:
    std::int16_t rank_;
    std::vector<TelemetryEvent> ring_; ///< capacity is a power of two
    std::atomic<std::uint64_t> head_{0}, tail_{0}, dropped_{0};
};

} // namespace reelmesh
