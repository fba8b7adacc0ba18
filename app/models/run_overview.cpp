#include "run_overview.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

constexpr double kSecond_ns = 1e9;

} // namespace

void RunOverview::clear() {
    begin({});
}

void RunOverview::begin(const RunningJob& job) {
    job_ = job;
    stage_ = Stage::None;
    running_ = false;
    step_ = 0;
    steps_ = static_cast<int>(job.request.steps.value_or(0));
    stepSeconds_.clear();
    tallies_.clear();
    rankTimes_.clear();
    chunks_.clear();
    frames_ = {0};
    totalFrames_ = 0;
    memory_ = {};
    if (job.plan.memory.peak() > 0) memory_.planned = static_cast<double>(job.plan.memory.peak());
    Q_EMIT changed();
}

void RunOverview::apply(const StepDone& event) {
    if (event.job != job_.id || job_.id == 0) return;
    step_ = event.step + 1;
    steps_ = event.steps;
    stepSeconds_.append(event.seconds);
    // Without telemetry there is still what each rank was busy; the rest of the step it waited.
    for (int rank = 0; rank < static_cast<int>(event.rank_seconds.size()); ++rank) {
        if (tallies_.value(rank).step >= event.step) continue;
        const double busy = event.rank_seconds[static_cast<std::size_t>(rank)];
        rankTimes_[rank] = {busy, 0, std::max(0.0, event.seconds - busy)};
    }
    Q_EMIT changed();
}

void RunOverview::apply(const FramesDecoded& event) {
    if (event.job != job_.id || job_.id == 0) return;
    totalFrames_ = static_cast<double>(event.total);
    if (event.first == 0) frames_ = {0};
    frames_.append(static_cast<double>(event.first) + static_cast<double>(event.frames.size()));
    Q_EMIT changed();
}

void RunOverview::apply(const JobStateChanged& event) {
    if (event.job != job_.id || job_.id == 0) return;
    if (event.stage != Stage::None) stage_ = event.stage;
    running_ = event.state == JobState::Running;
    Q_EMIT changed();
}

void RunOverview::apply(const LoadSample& sample) {
    if (job_.id == 0) return;
    memory_.where = QStringLiteral("process");
    memory_.used = sample.machine.resident_bytes;
    memory_.limit = sample.machine.limit_bytes;
    bool hasDevice = false;
    for (const DeviceLoad& device : sample.devices) {
        const auto& used = job_.plan.devices;
        if (std::find(used.begin(), used.end(), device.id) == used.end()) continue;
        // The plan's figure is that of the fullest one.
        if (hasDevice && !(device.memory_used_bytes > memory_.used)) continue;
        hasDevice = true;
        memory_.where = QString::fromStdString(device.id);
        memory_.used = device.memory_used_bytes;
        memory_.limit = device.memory_total_bytes;
    }
    if (running_ && !std::isnan(memory_.used))
        memory_.most = std::isnan(memory_.most) ? memory_.used : std::max(memory_.most, memory_.used);
    Q_EMIT changed();
}

void RunOverview::apply(JobId job, const std::vector<TelemetryEvent>& events) {
    if (job != job_.id || job_.id == 0 || events.empty()) return;
    for (const TelemetryEvent& event : events)
        if (event.rank >= 0) count(event);
    Q_EMIT changed();
}

void RunOverview::count(const TelemetryEvent& event) {
    if (event.kind == EventKind::Block && event.work == EventWork::Vae) {
        ++chunks_[event.rank];
        return;
    }
    if (event.step < 0) return;
    StepTally& tally = tallies_[event.rank];
    if (event.step != tally.step) tally = {event.step, 0};
    const std::int64_t span_ns = event.end_ns - event.start_ns;
    if (event.kind == EventKind::Exchange) {
        tally.comm_ns += std::max<std::int64_t>(0, span_ns - event.wait_ns);
    } else if (event.kind == EventKind::Step) {
        const double total = static_cast<double>(span_ns), wait = static_cast<double>(event.wait_ns);
        const double comm = std::min(static_cast<double>(tally.comm_ns), std::max(0.0, total - wait));
        rankTimes_[event.rank] = {std::max(0.0, total - wait - comm) / kSecond_ns, comm / kSecond_ns,
                                  wait / kSecond_ns};
    }
}

double RunOverview::medianStepSeconds() const {
    if (stepSeconds_.isEmpty()) return kUnknown;
    QList<double> sorted = stepSeconds_;
    const auto middle = sorted.begin() + sorted.size() / 2;
    std::nth_element(sorted.begin(), middle, sorted.end());
    return *middle;
}

int RunOverview::chunksOf(int rank) const {
    // A chunk that was handed on is done by every rank, whatever telemetry was dropped.
    return std::max(chunks_.value(rank), static_cast<int>(frames_.size()) - 1);
}

double RunOverview::framesAfter(int chunks) const {
    const int known = static_cast<int>(frames_.size()) - 1;
    if (chunks <= known) return frames_[chunks];
    // All chunks but the first are alike.
    const double chunk = known > 0 ? frames_[known] - frames_[known - 1] : 1;
    return frames_[known] + (chunks - known) * chunk;
}

double RunOverview::decodedShare(int rank) const {
    const double total =
        totalFrames_ > 0 ? totalFrames_ : static_cast<double>(job_.request.frames.value_or(0));
    return total > 0 ? std::min(1.0, framesAfter(chunksOf(rank)) / total) : 0;
}

RunOverview::DecodeState RunOverview::decodeState(int rank) const {
    if (decodedShare(rank) >= 1) return DecodeState::Done;
    if (stage_ != Stage::Decode) return DecodeState::Wait;
    // Ahead of the others it waits for their border rows.
    const int whole = static_cast<int>(frames_.size()) - 1;
    return chunksOf(rank) > whole ? DecodeState::Wait : DecodeState::Decode;
}

} // namespace reelmesh
