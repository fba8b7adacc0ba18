#include "jobs/event_hub.h"

#include <optional>

namespace reelmesh {
namespace {

constexpr std::size_t kTelemetryCapacity = 1 << 16;

} // namespace

void EventHub::set_wakeup(std::function<void()> wakeup) {
    const std::lock_guard lock(mutex_);
    wakeup_ = std::move(wakeup);
}

void EventHub::wake() {
    std::function<void()> wakeup;
    {
        const std::lock_guard lock(mutex_);
        wakeup = wakeup_;
    }
    if (wakeup) wakeup();
}

void EventHub::post(Lifecycle event) {
    {
        const std::lock_guard lock(mutex_);
        // Progress of one stage is a state, not a story: a newer figure replaces the one not yet fetched.
        const auto* progress = std::get_if<StageProgress>(&event);
        auto* last = lifecycle_.empty() ? nullptr : std::get_if<StageProgress>(&lifecycle_.back());
        if (progress && last && last->job == progress->job && last->stage == progress->stage)
            *last = *progress;
        else
            lifecycle_.push_back(std::move(event));
    }
    wake();
}

void EventHub::post(const PreviewReady& event) {
    {
        const std::lock_guard lock(mutex_);
        previews_[event.job] = event;
    }
    wake();
}

void EventHub::post(JobId job, const std::vector<TelemetryEvent>& events, std::uint64_t dropped) {
    {
        const std::lock_guard lock(mutex_);
        Telemetry& waiting = telemetry_[job];
        waiting.dropped += dropped;
        waiting.events.insert(waiting.events.end(), events.begin(), events.end());
        while (waiting.events.size() > kTelemetryCapacity) {
            waiting.events.pop_front();
            ++waiting.dropped;
        }
    }
    wake();
}

bool EventHub::drain(EventSink& sink, std::chrono::milliseconds budget) {
    const auto limit = std::chrono::steady_clock::now() + budget;
    std::map<JobId, PreviewReady> previews;
    std::map<JobId, Telemetry> telemetry;
    {
        const std::lock_guard lock(mutex_);
        previews.swap(previews_);
        telemetry.swap(telemetry_);
    }
    for (const auto& [job, preview] : previews)
        sink.on(preview);
    for (const auto& [job, waiting] : telemetry)
        sink.on(job, {waiting.events.begin(), waiting.events.end()}, waiting.dropped);
    while (true) {
        std::optional<Lifecycle> event;
        {
            const std::lock_guard lock(mutex_);
            if (lifecycle_.empty()) return false;
            if (std::chrono::steady_clock::now() >= limit) return true;
            event = std::move(lifecycle_.front());
            lifecycle_.pop_front();
        }
        std::visit([&](const auto& value) { sink.on(value); }, *event);
    }
}

} // namespace reelmesh
