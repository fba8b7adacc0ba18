// The one job that the window runs at a time: Generate, Cancel, and what becomes of them. Turns the
// draft into a submission and the engine's events of that job into the models that panels show.
// A Generate before the engine is open waits for it. GUI thread; the client outlives it.
#pragma once

#include <QObject>

#include "bridge/engine_client.h"
#include "models/job_status.h"
#include "models/preview_model.h"
#include "models/rank_times_model.h"
#include "models/request_draft.h"
#include "models/run_overview.h"

namespace reelmesh {

class Generation : public QObject {
    Q_OBJECT

public:
    explicit Generation(EngineClient& client, QObject* parent = nullptr);

    RequestDraft& draft() { return draft_; }
    JobStatus& status() { return status_; }
    PreviewModel& preview() { return preview_; }
    RunOverview& run() { return run_; }
    RankTimesModel& rankTimes() { return rankTimes_; }

    /// Nothing while a job is on its way.
    void generate();
    void cancel();

Q_SIGNALS:
    void started();
    void failed(const reelmesh::Error& error);
    void saved(const QString& path, const QStringList& notices);
    /// Done, failed or cancelled: isActive() is false again.
    void ended();

private:
    void submit();
    void fail(const Error& error);
    void onOpened();
    void onOpenFailed(const Error& error);
    void onSubmitted(JobId job, const JobRequest& resolved);
    void onState(const JobStateChanged& event);
    void onStep(const StepDone& event);

    EngineClient& client_;
    RequestDraft draft_;
    JobStatus status_;
    PreviewModel preview_;
    RunOverview run_;
    RankTimesModel rankTimes_;
    JobRequest request_; ///< frozen when Generate was pressed, resolved once it is submitted
    JobId job_ = 0;      ///< 0: not submitted
    bool cancelAsked_ = false;
};

} // namespace reelmesh
