#include "telemetry/writer.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>

namespace reelmesh {

std::int64_t steady_now_ns() {
    using Clock = std::chrono::steady_clock;
    static const Clock::time_point base = Clock::now();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - base).count();
}

TelemetryWriter::TelemetryWriter(std::int16_t rank, std::size_t capacity)
    : rank_(rank), ring_(std::bit_ceil(capacity)) {}

void TelemetryWriter::write(const TelemetryEvent& event) {
    const std::uint64_t head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) == ring_.size()) {
        dropped_.fetch_add(1, std::memory_order_relaxed);
        return;
    }
    TelemetryEvent& slot = ring_[head & (ring_.size() - 1)];
    slot = event;
    slot.rank = rank_;
    head_.store(head + 1, std::memory_order_release);
}

void TelemetryWriter::drain(std::vector<TelemetryEvent>& into) {
    const std::uint64_t head = head_.load(std::memory_order_acquire);
    std::uint64_t tail = tail_.load(std::memory_order_relaxed);
    for (; tail != head; ++tail)
        into.push_back(ring_[tail & (ring_.size() - 1)]);
    tail_.store(tail, std::memory_order_release);
}

double event_cost_ns() {
    constexpr int kEvents = 1000;
    static const double cost = [] {
        TelemetryWriter writer(0, kEvents);
        std::vector<TelemetryEvent> taken;
        std::array<double, 5> rounds{};
        for (double& round : rounds) {
            const std::int64_t begin = steady_now_ns();
            for (int i = 0; i < kEvents; ++i) {
                TelemetryEvent event;
                event.start_ns = steady_now_ns();
                event.end_ns = steady_now_ns();
                writer.write(event);
            }
            round = static_cast<double>(steady_now_ns() - begin) / kEvents;
            writer.drain(taken);
        }
        // The median: a round that the scheduler interrupted says nothing.
        std::nth_element(rounds.begin(), rounds.begin() + rounds.size() / 2, rounds.end());
        return rounds[rounds.size() / 2];
    }();
    return cost;
}

} // namespace reelmesh
