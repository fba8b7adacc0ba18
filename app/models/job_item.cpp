#include "job_item.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace reelmesh {
namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("JobItem", text);
}

/// What a job is divided into where no plan says it: of a middling one.
struct Parts {
    double prepare = 0.05, denoise = 0.80, decode = 0.12, write = 0.03;
};

Parts partsOf(const JobItem& job) {
    Parts parts;
    const double steps = static_cast<double>(job.request.steps.value_or(0));
    const double denoise = job.plan.step_seconds * steps;
    const double total = job.plan.text_seconds + denoise + job.plan.decode_seconds;
    if (!(total > 0)) return parts;
    // Loading and writing are in no plan; they keep their small shares.
    const double planned = 1 - parts.prepare - parts.write;
    parts.prepare += planned * job.plan.text_seconds / total;
    parts.denoise = planned * denoise / total;
    parts.decode = planned * job.plan.decode_seconds / total;
    return parts;
}

QString counted(const QString& word, double done, double total) {
    if (total <= 0) return word;
    return QString("%1 %2/%3").arg(word).arg(qint64(done)).arg(qint64(total));
}

QString stageText(const JobItem& job) {
    switch (job.stage) {
    case Stage::None:
    case Stage::Plan: return tr("Plan");
    case Stage::Load:
        return job.stageTotal > 0 ? tr("Load %1 %").arg(int(100 * job.stageDone / job.stageTotal))
                                  : tr("Load");
    case Stage::Text: return tr("Text");
    case Stage::Denoise: return counted(tr("Denoise"), job.step, job.steps);
    case Stage::Decode: return counted(tr("Decode"), job.stageDone, job.stageTotal);
    case Stage::Write: return tr("Save");
    }
    return {};
}

} // namespace

void JobItem::apply(const JobStateChanged& event) {
    state = event.state;
    if (event.stage != Stage::None && event.stage != stage) {
        stage = event.stage;
        stageDone = stageTotal = 0;
    }
    // The user's wish is shown before the engine confirms it; older news must not take it back.
    stopping = stopping || event.stopping;
    if (state == JobState::Paused) pausing = false;
    if (!hasEnded()) return;
    stopping = pausing = decoding = false;
    remainingSeconds = -1;
    report = event.report;
    error = event.error;
}

void JobItem::apply(const StepDone& event) {
    stage = Stage::Denoise;
    step = event.step + 1;
    steps = event.steps;
    remainingSeconds = event.remaining_seconds;
}

void JobItem::apply(const StageProgress& event) {
    if (stage != event.stage) stage = event.stage;
    stageDone = event.done;
    stageTotal = event.total;
    if (event.remaining_seconds >= 0) remainingSeconds = event.remaining_seconds;
}

QString JobItem::stateText() const {
    if (stopping) return step > 0 ? tr("Stopping… step %1").arg(step) : tr("Stopping…");
    switch (state) {
    case JobState::Pending: return tr("pending");
    case JobState::Paused: return step > 0 ? tr("paused at step %1").arg(step) : tr("paused");
    case JobState::Done: return tr("done");
    case JobState::Failed: return tr("failed");
    case JobState::Canceled: return tr("canceled");
    case JobState::Running: break;
    }
    if (pausing) return tr("Pausing… step %1").arg(step + 1);
    return stageText(*this);
}

double JobItem::fraction() const {
    if (state == JobState::Done) return 1;
    const Parts parts = partsOf(*this);
    const double within = stageTotal > 0 ? std::clamp(stageDone / stageTotal, 0.0, 1.0) : 0;
    switch (stage) {
    case Stage::None:
    case Stage::Plan: return 0;
    case Stage::Load: return parts.prepare * 0.5 * within;
    case Stage::Text: return parts.prepare * 0.5;
    case Stage::Denoise: return parts.prepare + (steps > 0 ? parts.denoise * step / steps : 0);
    case Stage::Decode: return parts.prepare + parts.denoise + parts.decode * within;
    case Stage::Write: return 1 - parts.write;
    }
    return 0;
}

double JobItem::seconds() const {
    const StageTimings& t = report.timings;
    const double sum = t.load + t.text + t.denoise + t.decode + t.write;
    return sum > 0 ? sum : -1;
}

} // namespace reelmesh
