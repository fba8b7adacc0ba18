// Three ways out of the engine: lifecycle events are never lost, previews are latest-wins,
// telemetry drops the oldest and counts. Any thread posts; one thread at a time drains.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
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
    /// At most kLinesPerSecond are handed out; the others are folded into one that counts them.
    void post(const LogLine& line);
    /// Of a sample that nobody fetched nothing remains but the next one.
    void post(LoadSample sample);
    static constexpr int kLinesPerSecond = 200;
    /// True: the budget ended before the events did.
    bool drain(EventSink& sink, std::chrono::milliseconds budget);

private:
    /// Of one job; nobody may be draining for hours.
    struct Telemetry {
        std::deque<TelemetryEvent> events;
        std::uint64_t dropped = 0;
    };

    /// Lines in a window of a second, and those beyond the most.
    struct LogChannel {
        std::deque<LogLine> lines;
        std::chrono::steady_clock::time_point window;
        int in_window = 0;
        LogLine folded; ///< of the worst level, the newest time
        std::uint64_t folds = 0;
        std::chrono::steady_clock::time_point next_fold;
    };

    void wake();
    /// As many as one drain hands out.
    std::vector<LogLine> take_lines();

    std::mutex mutex_; // guards all below
    std::function<void()> wakeup_;
    std::deque<Lifecycle> lifecycle_;
    std::map<JobId, PreviewReady> previews_;
    std::map<JobId, Telemetry> telemetry_;
    LogChannel log_;
    std::optional<LoadSample> load_;
};

} // namespace reelmesh
