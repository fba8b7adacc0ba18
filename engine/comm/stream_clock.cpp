#include "comm/stream_clock.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include "telemetry/writer.h"

namespace reelmesh {
namespace {

constexpr std::size_t kEvents = 1024; ///< more than wait to be read, peers' views of them included

} // namespace

std::optional<std::int64_t> ClockMark::time_ns() const {
    if (!event_) return host_ns_;
    if (!event_->query()) return std::nullopt;
    return anchor_->host_ns + static_cast<std::int64_t>(anchor_->event.elapsedTime(*event_) * 1e6);
}

void ClockMark::wait() const {
    if (event_) event_->synchronize();
}

void StreamClock::start() {
    if (!on_device()) return;
    // The event happens between two readings of the host's clock; the nearest two of some.
    constexpr int kTries = 3;
    std::int64_t shortest = 0;
    for (int i = 0; i < kTries; ++i) {
        auto anchor = std::make_shared<ClockMark::Anchor>(device_.type());
        const std::int64_t before = steady_now_ns();
        anchor->event.record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
        anchor->event.synchronize();
        const std::int64_t span = steady_now_ns() - before;
        if (i > 0 && span >= shortest) continue;
        shortest = span;
        anchor->host_ns = before + span / 2;
        anchor_ = std::move(anchor);
    }
}

ClockMark StreamClock::mark() {
    ClockMark mark(steady_now_ns());
    if (!on_device() || !anchor_) return mark;
    events_.resize(kEvents);
    std::shared_ptr<c10::Event>& event = events_[next_event_++ % kEvents];
    // One that somebody still reads is left to him.
    if (!event || event.use_count() > 1)
        event = std::make_shared<c10::Event>(device_.type(), c10::EventFlag::BACKEND_DEFAULT);
    event->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
    mark.event_ = event;
    mark.anchor_ = anchor_;
    return mark;
}

void StreamClock::settle() {
    while (!waiting_.empty() && waiting_.front().mark.time_ns()) {
        const std::function<void()> function = std::move(waiting_.front().function);
        waiting_.pop_front();
        function();
    }
}

} // namespace reelmesh
