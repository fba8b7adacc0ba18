// The telemetry of the running job, or of an opened trace, in order of time: at most kMostEvents, the oldest
// dropped beyond that and counted. GUI thread, but for the static functions; views taken from it go to any
// thread.
#pragma once

#include <QObject>

#include <map>

#include "engine/events.h"
#include "running_job.h"
#include "trace_view.h"

namespace reelmesh {

class TelemetryStore : public QObject {
    Q_OBJECT

public:
    static constexpr std::size_t kMostEvents = 2'000'000;

    explicit TelemetryStore(QObject* parent = nullptr, std::size_t mostEvents = kMostEvents)
        : QObject(parent), mostEvents_(mostEvents) {}

    /// Forgets all, a job begins. detail: its RunOptions::detail.
    void begin(const RunningJob& job, int detail = 1);
    /// The job is over: what is there stays.
    void end();
    void append(const std::vector<TelemetryEvent>& events, std::uint64_t dropped);
    /// The devices' power and links, the cores in use.
    void append(const LoadSample& sample);

    /// A trace with its events in lanes: what takes long of opening one. Any thread.
    struct Content {
        std::map<LaneKey, EventLane> lanes;
        std::map<int, StepSpan> steps;
        std::map<std::pair<ExchangeGroup, int>, RankGroup> groups;
        std::vector<std::shared_ptr<TraceCounter>> counters;
        std::map<int, std::pair<int, std::int64_t>> lastBusy; ///< by rank: step, time without waiting
        TraceView about;                                      ///< all but lanes, steps, groups, counters
        void add(const std::vector<TelemetryEvent>& events);
    };
    static std::shared_ptr<Content> arrange(Trace trace);
    /// Replaces all by an arranged trace.
    void open(std::shared_ptr<Content> content);
    void open(Trace trace) { open(arrange(std::move(trace))); }
    void clear();

    bool isLive() const { return live_; }
    bool isEmpty() const { return content_->about.events == 0; }
    std::uint64_t events() const { return content_->about.events; }
    std::uint64_t dropped() const { return content_->about.dropped; }
    TraceView view() const;

Q_SIGNALS:
    /// Another run, or none.
    void reset();
    /// More of the same run.
    void grown();

private:
    void bound();

    std::size_t mostEvents_;
    std::shared_ptr<Content> content_ = std::make_shared<Content>();
    bool live_ = false;
};

} // namespace reelmesh
