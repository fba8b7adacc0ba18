#include "jobs/event_hub.h"

#include <algorithm>

namespace reelmesh {
namespace {

constexpr std::size_t kTelemetryCapacity = 1 << 16;
constexpr std::size_t kLogCapacity = 10000;
constexpr std::chrono::seconds kLogWindow{1};
/// Whoever drains shows them: a second's worth at once would hold the window up.
constexpr std::size_t kLinesPerDrain = 50;

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

void EventHub::post(const LogLine& line) {
    {
        const std::lock_guard lock(mutex_);
        const auto now = std::chrono::steady_clock::now();
        if (now - log_.window >= kLogWindow) {
            log_.window = now;
            log_.in_window = 0;
        }
        // One place is the fold's own.
        if (log_.in_window < kLinesPerSecond - 1 && log_.lines.size() < kLogCapacity) {
            ++log_.in_window;
            log_.lines.push_back(line);
        } else {
            log_.folded.level = std::max(log_.folds == 0 ? LogLevel::Debug : log_.folded.level, line.level);
            log_.folded.time_ms = line.time_ms;
            if (++log_.folds > 1) return; // one wake is enough for a count
        }
    }
    wake();
}

void EventHub::post(LoadSample sample) {
    {
        const std::lock_guard lock(mutex_);
        load_ = std::move(sample);
    }
    wake();
}

std::vector<LogLine> EventHub::take_lines() {
    std::vector<LogLine> lines;
    while (!log_.lines.empty() && lines.size() < kLinesPerDrain) {
        lines.push_back(std::move(log_.lines.front()));
        log_.lines.pop_front();
    }
    const auto now = std::chrono::steady_clock::now();
    if (log_.folds > 0 && log_.lines.empty() && now >= log_.next_fold) {
        log_.next_fold = now + kLogWindow;
        log_.folded.text = std::to_string(log_.folds) + (log_.folds == 1 ? " more line" : " more lines") +
                           " at once: left out here";
        log_.folds = 0;
        lines.push_back(log_.folded);
    }
    return lines;
}

bool EventHub::drain(EventSink& sink, std::chrono::milliseconds budget) {
    const auto limit = std::chrono::steady_clock::now() + budget;
    std::map<JobId, PreviewReady> previews;
    std::map<JobId, Telemetry> telemetry;
    std::vector<LogLine> lines;
    std::optional<LoadSample> load;
    {
        const std::lock_guard lock(mutex_);
        lines = take_lines();
        load.swap(load_);
        previews.swap(previews_);
        telemetry.swap(telemetry_);
    }
    for (const auto& [job, preview] : previews)
        sink.on(preview);
    for (const auto& [job, waiting] : telemetry)
        sink.on(job, {waiting.events.begin(), waiting.events.end()}, waiting.dropped);
    for (const LogLine& line : lines)
        sink.on(line);
    if (load) sink.on(*load);
    while (true) {
        std::optional<Lifecycle> event;
        {
            const std::lock_guard lock(mutex_);
            if (lifecycle_.empty()) return !log_.lines.empty();
            if (std::chrono::steady_clock::now() >= limit) return true;
            event = std::move(lifecycle_.front());
            lifecycle_.pop_front();
        }
        std::visit([&](const auto& value) { sink.on(value); }, *event);
    }
}

} // namespace reelmesh
