// Three ways out of the engine: lifecycle events are never lost, previews are latest-wins,
// telemetry drops the oldest and counts. Any thread posts; one thread at a time drains.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <variant>
#include <vector>

#include "engine/events.h"

namespace reelmesh {

class EventHub {
public:
    using Lifecycle = std::variant<JobStateChanged, StepDone, StageProgress, FramesDecoded>;

    void set_wakeup(std::function<void()> wakeup);
    void post(Lifecycle event);
    void post(const PreviewReady& event);
    void post(JobId job, const std::vector<TelemetryEvent>& events, std::uint64_t dropped);
    /// True: the budget ended before the events did.
    bool drain(EventSink& sink, std::chrono::milliseconds budget);

private:
    /// Of one job; nobody may be draining for hours.
    struct Telemetry {
        std::deque<TelemetryEvent> events;
        std::uint64_t dropped = 0;
    };

    void wake();

    std::mutex mutex_; // guards all below
    std::function<void()> wakeup_;
    std::deque<Lifecycle> lifecycle_;
    std::map<JobId, PreviewReady> previews_;
    std::map<JobId, Telemetry> telemetry_;
};

} // namespace reelmesh
