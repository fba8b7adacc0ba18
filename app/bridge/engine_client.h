// The one place where engine threads meet the GUI thread. Owns the engine; whatever may take long
// (opening the library, checking a request) runs on the client's worker thread, whatever the engine
// tells arrives as signals on the GUI thread. The engine's wake-up keeps at most one event pending,
// a drain takes at most kDrainBudget and then lets other events pass. All functions: GUI thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <QThread>
#include <QThreadPool>

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/engine.h"

namespace reelmesh {

class EngineClient : public QObject, private EventSink {
    Q_OBJECT

public:
    using Factory = std::function<Result<std::unique_ptr<Engine>>()>;
    enum class State { Closed, Opening, Ready, Missing };

    static constexpr std::chrono::milliseconds kDrainBudget{4};

    explicit EngineClient(QObject* parent = nullptr);
    /// Ends the worker and the engine, with whatever job and question still runs.
    ~EngineClient() override;

    /// Runs the factory on the worker; opened() or openFailed() follows. Once only.
    void open(Factory factory);
    State state() const { return state_; }
    /// State is Missing: why.
    const Error& openError() const { return openError_; }

    /// Makes the output folder if it is missing and submits; submitted() or refused() follows, before
    /// any event of the job. State must be Ready.
    void submit(const JobRequest& request);
    /// What is kept of the jobs submitted from here on.
    void setRunOptions(const RunOptions& options) { runOptions_ = options; }
    void cancel(JobId job);
    /// Whether somebody looks at the load; may be called before there is an engine.
    void watchLoad(LoadWatch watch);
    void pause(JobId job);
    void resume(JobId job);
    void stopAndDecode(JobId job);
    /// Place among the pending jobs, 0 is next.
    void move(JobId job, int place);
    void setQueueGate(QueueGate gate);
    void forget(JobId job);
    /// The plan that a job runs on; without a mesh where it has not started.
    Plan planOf(JobId job) const;
    /// Step -1 where there is none.
    PreviewClip preview(JobId job, int step) const;

    /// Asks the engine what may take long: query(Engine&) runs on a thread of the client's pool,
    /// reply(result) afterwards on the GUI thread, unless the context is gone by then. Without an engine
    /// nothing happens.
    template <class Query, class Reply>
    void ask(QObject* context, Query query, Reply reply) {
        if (!engine_) return;
        pool_.start([this, engine = engine_.get(), guard = QPointer<QObject>(context),
                     query = std::move(query), reply = std::move(reply)] {
            using Answer = std::invoke_result_t<Query, Engine&>;
            auto answer = std::make_shared<Answer>(query(*engine));
            runOnGui([guard, answer, reply] {
                if (guard) reply(std::move(*answer));
            });
        });
    }

Q_SIGNALS:
    void opened();
    void openFailed(const reelmesh::Error& error);
    void submitted(reelmesh::JobId job, const reelmesh::JobRequest& resolved);
    void refused(const reelmesh::Error& error);
    void jobStateChanged(const reelmesh::JobStateChanged& event);
    void stepDone(const reelmesh::StepDone& event);
    void stageProgress(const reelmesh::StageProgress& event);
    void framesDecoded(const reelmesh::FramesDecoded& event);
    void previewReady(const reelmesh::PreviewReady& event);
    /// dropped: events lost since the batch before.
    void telemetry(reelmesh::JobId job, const std::vector<reelmesh::TelemetryEvent>& events,
                   std::uint64_t dropped);
    void logged(const reelmesh::LogLine& line);
    void loadSampled(const reelmesh::LoadSample& sample);

protected:
    void customEvent(QEvent* event) override;

private:
    struct Submission {
        JobId job = 0;
        JobRequest resolved;
    };

    void on(const JobStateChanged& event) override { Q_EMIT jobStateChanged(event); }
    void on(const StepDone& event) override { Q_EMIT stepDone(event); }
    void on(const StageProgress& event) override { Q_EMIT stageProgress(event); }
    void on(const FramesDecoded& event) override { Q_EMIT framesDecoded(event); }
    void on(const PreviewReady& event) override { Q_EMIT previewReady(event); }
    void on(JobId job, const std::vector<TelemetryEvent>& events, std::uint64_t dropped) override {
        Q_EMIT telemetry(job, events, dropped);
    }
    void on(const LogLine& line) override { Q_EMIT logged(line); }
    void on(const LoadSample& sample) override { Q_EMIT loadSampled(sample); }

    static Result<Submission> submitTo(Engine& engine, const JobRequest& request, const RunOptions& options);
    void runOnWorker(std::function<void()> task);
    void runOnGui(std::function<void()> task);
    void wake();

    QThread worker_;
    QObject* workerContext_; ///< lives on worker_, deleted when it finishes
    QThreadPool pool_;       ///< of ask()
    std::unique_ptr<Engine> engine_;
    State state_ = State::Closed;
    Error openError_;
    RunOptions runOptions_;
    int submissions_ = 0;
    LoadWatch loadWatch_ = LoadWatch::None;
    std::atomic<bool> eventPending_{false};
};

} // namespace reelmesh
