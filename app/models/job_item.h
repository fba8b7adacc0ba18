// One job of the queue: the frozen request, where it stands, and how that is said. Plain value with the
// rules by which events change it; knows no engine and no widget. GUI thread.
#pragma once

#include <QImage>
#include <QString>

#include "engine/events.h"
#include "engine/plan.h"

namespace reelmesh {

/// Of a row of the queue, in points.
inline constexpr QSize kThumbnailSize(64, 36);

struct JobItem {
    std::uint64_t key = 0; ///< stays the same, whatever happens to the row
    JobId id = 0;          ///< 0: the engine has not named it
    JobRequest request;    ///< frozen; resolved once the engine has named it
    JobState state = JobState::Pending;
    Stage stage = Stage::None;
    bool submitting = false; ///< on its way to the engine
    bool stopping = false;   ///< cancel was asked
    bool pausing = false;    ///< pause was asked, the step has not ended
    bool decoding = false;   ///< stop and decode was asked
    int step = 0, steps = 0; ///< complete, of; 0: unknown
    double stageDone = 0, stageTotal = 0;
    double remainingSeconds = -1; ///< of a running job; < 0: unknown
    double plannedSeconds = -1;   ///< of a pending job, by the plan; < 0: unknown
    QString shape;                ///< jobs of equal shape have equal plans; "": not resolved yet
    Plan plan;                    ///< without mesh: unknown
    QImage thumbnail; ///< kThumbnailSize in the screen's pixels; null: none
    JobReport report; ///< once it has ended
    Error error;      ///< Failed only

    bool isPending() const { return state == JobState::Pending; }
    bool isActive() const { return state == JobState::Running || state == JobState::Paused; }
    bool hasEnded() const { return !isPending() && !isActive(); }

    void apply(const JobStateChanged& event);
    void apply(const StepDone& event);
    void apply(const StageProgress& event);

    /// "pending", "Denoise 12/40", "Stopping… step 12", "paused", "done", "failed", "canceled".
    QString stateText() const;
    /// 0 ... 1 of the whole job, stages weighted by their predicted times.
    double fraction() const;
    /// Seconds from its start to its end; < 0: unknown.
    double seconds() const;
    /// Seconds until it will have ended, once it runs; < 0: unknown.
    double toGo() const { return isPending() ? plannedSeconds : isActive() ? remainingSeconds : 0; }
};

} // namespace reelmesh
