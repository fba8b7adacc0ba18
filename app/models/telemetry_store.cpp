#include "telemetry_store.h"

#include <algorithm>
#include <cmath>

#include "slowest_rank.h"

namespace reelmesh {
namespace {

constexpr std::size_t kMostSamples = 1 << 16;

/// Of the ranks that have done the last step.
int slowestIn(const std::map<int, std::pair<int, std::int64_t>>& lastBusy) {
    int last = -1;
    for (const auto& [rank, busy] : lastBusy)
        last = std::max(last, busy.first);
    std::vector<int> ranks;
    std::vector<double> times;
    for (const auto& [rank, busy] : lastBusy) {
        if (busy.first != last) continue;
        ranks.push_back(rank);
        times.push_back(static_cast<double>(busy.second));
    }
    const int slowest = slowestOf(times);
    return slowest < 0 ? -1 : ranks[static_cast<std::size_t>(slowest)];
}

void addSample(std::vector<std::shared_ptr<TraceCounter>>& counters, const QString& name, const char* unit,
               std::int64_t time_ns, double value) {
    const std::string key = name.toStdString();
    auto found = std::find_if(counters.begin(), counters.end(),
                              [&](const auto& counter) { return counter->name == key; });
    if (found == counters.end()) {
        if (std::isnan(value)) return;
        found = counters.insert(counters.end(), std::make_shared<TraceCounter>());
        (*found)->name = key;
        (*found)->unit = unit;
    }
    // Views may read the old one.
    auto counter = std::make_shared<TraceCounter>(**found);
    if (counter->values.size() >= kMostSamples) {
        counter->times_ns.erase(counter->times_ns.begin());
        counter->values.erase(counter->values.begin());
    }
    counter->times_ns.push_back(time_ns);
    counter->values.push_back(value);
    *found = std::move(counter);
}

/// Of those that are known; NaN: none is.
template <class Figure>
double sumOfKnown(const std::vector<DeviceLoad>& devices, Figure figure) {
    double sum = kUnknown;
    for (const DeviceLoad& device : devices)
        if (const double value = figure(device); !std::isnan(value))
            sum = std::isnan(sum) ? value : sum + value;
    return sum;
}

} // namespace

void TelemetryStore::Content::add(const std::vector<TelemetryEvent>& events) {
    std::map<LaneKey, std::vector<TelemetryEvent>> byLane;
    for (const TelemetryEvent& event : events) {
        byLane[laneKeyOf(event)].push_back(event);
        about.ranks = std::max(about.ranks, event.rank + 1);
        if (about.span.begin_ns == about.span.end_ns) {
            about.span = {event.start_ns, event.end_ns};
        } else {
            about.span.begin_ns = std::min(about.span.begin_ns, event.start_ns);
            about.span.end_ns = std::max(about.span.end_ns, event.end_ns);
        }
        if (event.kind == EventKind::Step && event.rank >= 0) {
            auto [step, isNew] =
                steps.try_emplace(event.step, StepSpan{event.step, event.start_ns, event.end_ns});
            step->second.start_ns = std::min(step->second.start_ns, event.start_ns);
            step->second.end_ns = std::max(step->second.end_ns, event.end_ns);
            auto& busy = lastBusy[event.rank];
            if (event.step >= busy.first) busy = {event.step, transfer_ns(event)};
        }
        if (event.kind == EventKind::Exchange) {
            RankGroup& group = groups[{event.group, event.first_rank}];
            group.link = {event.group, event.first_rank};
            group.ranks.insert(event.rank);
            group.bytes += event.bytes;
        }
    }
    for (auto& [key, ofLane] : byLane)
        lanes[key].append(std::move(ofLane));
    about.events += events.size();
    about.slowestRank = slowestIn(lastBusy);
}

void TelemetryStore::begin(const RunningJob& job, int detail) {
    content_ = std::make_shared<Content>();
    TraceView& about = content_->about;
    about.ranks = job.plan.ranks;
    about.detail = detail;
    about.mesh = QString::fromStdString(job.plan.mesh);
    about.devices = job.plan.devices;
    about.totalSteps = static_cast<int>(job.request.steps.value_or(0));
    about.jobJson = job_to_json(job.request, JobScope::Whole);
    live_ = true;
    Q_EMIT reset();
}

void TelemetryStore::end() {
    live_ = false;
    Q_EMIT grown();
}

void TelemetryStore::clear() {
    content_ = std::make_shared<Content>();
    live_ = false;
    Q_EMIT reset();
}

void TelemetryStore::append(const std::vector<TelemetryEvent>& events, std::uint64_t dropped) {
    if (events.empty() && dropped == 0) return;
    content_->add(events);
    content_->about.dropped += dropped;
    bound();
    Q_EMIT grown();
}

void TelemetryStore::append(const LoadSample& sample) {
    if (!live_) return;
    auto& counters = content_->counters;
    const auto add = [&](const QString& name, const char* unit, double value) {
        addSample(counters, name, unit, sample.time_ns, value);
    };
    add(tr("NVLink TX"), "B/s",
        sumOfKnown(sample.devices, [](const DeviceLoad& device) { return device.nvlink_tx_bytes_per_s; }));
    add(tr("Power"), "W",
        sumOfKnown(sample.devices, [](const DeviceLoad& device) { return device.power_w; }));
    add(tr("Cores"), "", sample.machine.process_cores);
    Q_EMIT grown();
}

void TelemetryStore::bound() {
    TraceView& about = content_->about;
    while (about.events > mostEvents_) {
        const auto oldest = std::min_element(content_->lanes.begin(), content_->lanes.end(),
                                             [](const auto& a, const auto& b) {
                                                 return a.second.oldestStart_ns() < b.second.oldestStart_ns();
                                             });
        const std::size_t gone = oldest->second.dropOldest();
        if (gone == 0) return;
        about.events -= gone;
        about.dropped += gone;
    }
}

std::shared_ptr<TelemetryStore::Content> TelemetryStore::arrange(Trace trace) {
    auto content = std::make_shared<Content>();
    content->about.mesh = QString::fromStdString(trace.mesh);
    content->about.devices = std::move(trace.devices);
    content->about.dropped = trace.dropped;
    content->about.detail = trace.detail;
    if (!trace.job_json.empty()) {
        if (const Result<JobRequest> job = job_from_json(trace.job_json, "trace"))
            content->about.totalSteps = static_cast<int>(job->steps.value_or(0));
    }
    content->about.jobJson = std::move(trace.job_json);
    content->add(trace.events);
    for (TraceCounter& counter : trace.counters)
        content->counters.push_back(std::make_shared<TraceCounter>(std::move(counter)));
    return content;
}

void TelemetryStore::open(std::shared_ptr<Content> content) {
    content_ = std::move(content);
    live_ = false;
    bound();
    Q_EMIT reset();
}

TraceView TelemetryStore::view() const {
    TraceView view = content_->about;
    for (const auto& [key, lane] : content_->lanes)
        view.lanes.emplace_hint(view.lanes.end(), key, lane.view());
    for (const auto& [number, step] : content_->steps)
        view.steps.push_back(step);
    for (const auto& [key, group] : content_->groups)
        view.groups.push_back(group);
    view.counters.assign(content_->counters.begin(), content_->counters.end());
    return view;
}

} // namespace reelmesh
