#include "generation.h"

namespace reelmesh {

Generation::Generation(EngineClient& client, QObject* parent) : QObject(parent), client_(client) {
    connect(&client_, &EngineClient::opened, this, &Generation::onOpened);
    connect(&client_, &EngineClient::openFailed, this, &Generation::onOpenFailed);
    connect(&client_, &EngineClient::submitted, this, &Generation::onSubmitted);
    connect(&client_, &EngineClient::refused, this, &Generation::fail);
    connect(&client_, &EngineClient::jobStateChanged, this, &Generation::onState);
    connect(&client_, &EngineClient::stepDone, this, &Generation::onStep);
    preview_.setFetch([this](JobId job, int step) { return client_.preview(job, step); });
    connect(&client_, &EngineClient::previewReady, this,
            [this](const PreviewReady& event) { preview_.apply(event); });
    connect(&client_, &EngineClient::stageProgress, this, [this](const StageProgress& event) {
        if (event.job == job_) status_.apply(event);
    });
    connect(&client_, &EngineClient::framesDecoded, this, [this](const FramesDecoded& event) {
        preview_.apply(event);
        run_.apply(event);
    });
    connect(&client_, &EngineClient::telemetry, this,
            [this](JobId job, const std::vector<TelemetryEvent>& events) { run_.apply(job, events); });
    connect(&client_, &EngineClient::loadSampled, this,
            [this](const LoadSample& sample) { run_.apply(sample); });
}

void Generation::generate() {
    if (status_.isActive()) return;
    request_ = draft_.request();
    job_ = 0;
    cancelAsked_ = false;
    preview_.clear();
    run_.clear();
    rankTimes_.clear();
    Q_EMIT started();
    switch (client_.state()) {
    case EngineClient::State::Ready: return submit();
    case EngineClient::State::Missing: return fail(client_.openError());
    case EngineClient::State::Closed:
    case EngineClient::State::Opening: status_.begin(JobStatus::Phase::Starting);
    }
}

void Generation::cancel() {
    if (!status_.isActive() || cancelAsked_) return;
    cancelAsked_ = true;
    if (status_.phase() == JobStatus::Phase::Starting) {
        status_.setPhase(JobStatus::Phase::Canceled);
        Q_EMIT ended();
        return;
    }
    status_.setPhase(JobStatus::Phase::Stopping);
    // Before the engine has named the job, onSubmitted() passes the wish on.
    if (job_ != 0) client_.cancel(job_);
}

void Generation::submit() {
    status_.begin(JobStatus::Phase::Checking);
    client_.submit(request_);
}

void Generation::fail(const Error& error) {
    status_.setPhase(JobStatus::Phase::Failed);
    Q_EMIT failed(error);
    Q_EMIT ended();
}

void Generation::onOpened() {
    if (status_.phase() == JobStatus::Phase::Starting) submit();
}

void Generation::onOpenFailed(const Error& error) {
    if (status_.phase() == JobStatus::Phase::Starting) return fail(error);
    Q_EMIT failed(error);
}

void Generation::onSubmitted(JobId job, const JobRequest& resolved) {
    job_ = job;
    request_ = resolved;
    preview_.begin({job, resolved, {}});
    run_.begin({job, resolved, {}});
    if (cancelAsked_) client_.cancel(job_);
}

void Generation::onState(const JobStateChanged& event) {
    if (event.job != job_ || job_ == 0) return;
    status_.apply(event);
    preview_.apply(event);
    run_.apply(event);
    if (event.state == JobState::Failed) Q_EMIT failed(event.error);
    if (event.state == JobState::Done)
        Q_EMIT saved(QString::fromStdString(event.report.output), [&] {
            QStringList notices;
            for (const std::string& notice : event.report.notices)
                notices << QString::fromStdString(notice);
            return notices;
        }());
    if (!status_.isActive()) {
        job_ = 0;
        Q_EMIT ended();
    }
}

void Generation::onStep(const StepDone& event) {
    if (event.job != job_) return;
    status_.apply(event);
    rankTimes_.add(event);
    preview_.apply(event);
    run_.apply(event);
}

} // namespace reelmesh
