#include "job_status.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

JobStatus::Part partOf(Stage stage) {
    switch (stage) {
    case Stage::Denoise: return JobStatus::Part::Denoise;
    case Stage::Decode: return JobStatus::Part::Decode;
    case Stage::Write: return JobStatus::Part::Write;
    default: return JobStatus::Part::Prepare;
    }
}

JobStatus::Phase phaseOf(const JobStateChanged& event) {
    switch (event.state) {
    case JobState::Pending: return JobStatus::Phase::Pending;
    case JobState::Done: return JobStatus::Phase::Done;
    case JobState::Failed: return JobStatus::Phase::Failed;
    case JobState::Canceled: return JobStatus::Phase::Canceled;
    case JobState::Paused: return event.stopping ? JobStatus::Phase::Stopping : JobStatus::Phase::Paused;
    case JobState::Running: break;
    }
    return event.stopping ? JobStatus::Phase::Stopping : JobStatus::Phase::Running;
}

QString unknown() {
    return QStringLiteral("–");
}

} // namespace

void JobStatus::begin(Phase phase) {
    phase_ = phase;
    stage_ = Stage::None;
    step_ = steps_ = 0;
    stepSeconds_ = remainingSeconds_ = totalSeconds_ = -1;
    fractions_.fill(0);
    Q_EMIT changed();
}

void JobStatus::setPhase(Phase phase) {
    if (phase_ == phase) return;
    phase_ = phase;
    Q_EMIT changed();
}

void JobStatus::apply(const JobStateChanged& event) {
    const Phase next = phaseOf(event);
    // The user's cancel is shown before the engine confirms it; older news must not take it back.
    const bool ends = next >= Phase::Stopping;
    if (phase_ != Phase::Stopping || ends) phase_ = next;
    if (event.stage != Stage::None) enterStage(event.stage);
    if (phase_ == Phase::Done) {
        finishAll();
        const StageTimings& t = event.report.timings;
        totalSeconds_ = t.load + t.text + t.denoise + t.decode + t.write;
    }
    Q_EMIT changed();
}

void JobStatus::apply(const StepDone& event) {
    enterStage(Stage::Denoise);
    step_ = event.step + 1;
    steps_ = event.steps;
    stepSeconds_ = event.seconds;
    remainingSeconds_ = event.remaining_seconds;
    if (steps_ > 0) fractions_[std::size_t(Part::Denoise)] = std::min(1.0, double(step_) / steps_);
    Q_EMIT changed();
}

void JobStatus::apply(const StageProgress& event) {
    enterStage(event.stage);
    if (event.remaining_seconds >= 0) remainingSeconds_ = event.remaining_seconds;
    double& fraction = fractions_[std::size_t(partOf(event.stage))];
    // Loading and text share a part: the second must not take the bar back.
    if (event.total > 0) fraction = std::clamp(event.done / event.total, fraction, 1.0);
    Q_EMIT changed();
}

bool JobStatus::isActive() const {
    return phase_ >= Phase::Starting && phase_ <= Phase::Stopping;
}

double JobStatus::progress() const {
    double done = 0, whole = 0;
    for (std::size_t part = 0; part < kParts; ++part) {
        done += fractions_[part] * kPartWeights[part];
        whole += kPartWeights[part];
    }
    return done / whole;
}

QString JobStatus::stageText() const {
    switch (phase_) {
    case Phase::Idle: return tr("Idle");
    case Phase::Starting: return tr("Starting engine");
    case Phase::Checking: return tr("Checking");
    case Phase::Pending: return tr("Pending");
    case Phase::Paused: return step_ > 0 ? tr("Paused %1/%2").arg(step_).arg(steps_) : tr("Paused");
    case Phase::Stopping: return tr("Stopping…");
    case Phase::Done: return tr("Done");
    case Phase::Failed: return tr("Failed");
    case Phase::Canceled: return tr("Cancelled");
    case Phase::Running: break;
    }
    switch (stage_) {
    case Stage::None:
    case Stage::Plan: return tr("Plan");
    case Stage::Load: return tr("Load model");
    case Stage::Text: return tr("Read prompt");
    case Stage::Denoise: return steps_ > 0 ? tr("Denoise %1/%2").arg(step_).arg(steps_) : tr("Denoise");
    case Stage::Decode: return tr("Decode");
    case Stage::Write: return tr("Save");
    }
    return {};
}

QString JobStatus::rateText() const {
    if (stepSeconds_ < 0) return unknown();
    return tr("%1 s/step").arg(QLocale().toString(stepSeconds_, 'f', stepSeconds_ < 10 ? 2 : 1));
}

QString JobStatus::remainingText() const {
    if (phase_ == Phase::Done && totalSeconds_ > 0)
        return tr("took %1 s").arg(QLocale().toString(totalSeconds_, 'f', 1));
    if (!isActive() || remainingSeconds_ < 0) return unknown();
    const auto seconds = static_cast<qint64>(std::ceil(remainingSeconds_));
    return tr("%1:%2 left").arg(seconds / 60).arg(seconds % 60, 2, 10, QChar('0'));
}

void JobStatus::enterStage(Stage stage) {
    if (stage_ == stage) return;
    stage_ = stage;
    for (std::size_t part = 0; part < std::size_t(partOf(stage)); ++part)
        fractions_[part] = 1;
}

void JobStatus::finishAll() {
    fractions_.fill(1);
}

} // namespace reelmesh
