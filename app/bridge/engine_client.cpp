#include "engine_client.h"

#include <QCoreApplication>
#include <QDir>
#include <QEvent>

namespace reelmesh {
namespace {

const auto kDrainEvent = static_cast<QEvent::Type>(QEvent::registerEventType());

} // namespace

EngineClient::EngineClient(QObject* parent) : QObject(parent), workerContext_(new QObject) {
    worker_.setObjectName("reelmesh-client");
    workerContext_->moveToThread(&worker_);
    connect(&worker_, &QThread::finished, workerContext_, &QObject::deleteLater);
    worker_.start();
}

EngineClient::~EngineClient() {
    // What is asked and not yet begun is not begun any more; what has begun ends when the engine lets go, on
    // the worker too.
    pool_.clear();
    if (engine_) engine_->shut_down();
    worker_.quit();
    worker_.wait();
    pool_.waitForDone();
    engine_.reset();
}

void EngineClient::open(Factory factory) {
    Q_ASSERT(state_ == State::Closed);
    state_ = State::Opening;
    runOnWorker([this, factory = std::move(factory)] {
        auto outcome = std::make_shared<Result<std::unique_ptr<Engine>>>(factory());
        runOnGui([this, outcome] {
            if (!*outcome) {
                state_ = State::Missing;
                openError_ = outcome->error();
                Q_EMIT openFailed(openError_);
                return;
            }
            engine_ = std::move(outcome->value());
            engine_->set_wakeup([this] { wake(); });
            engine_->watch_load(loadWatch_);
            state_ = State::Ready;
            Q_EMIT opened();
        });
    });
}

void EngineClient::submit(const JobRequest& request) {
    Q_ASSERT(state_ == State::Ready);
    ++submissions_;
    runOnWorker([this, request, options = runOptions_] {
        auto outcome = std::make_shared<Result<Submission>>(submitTo(*engine_, request, options));
        runOnGui([this, outcome] {
            --submissions_;
            if (*outcome) {
                Q_EMIT submitted(outcome->value().job, outcome->value().resolved);
            } else {
                Q_EMIT refused(outcome->error());
            }
            wake();
        });
    });
}

Result<EngineClient::Submission> EngineClient::submitTo(Engine& engine, const JobRequest& request,
                                                        const RunOptions& options) {
    const QString folder = QString::fromStdString(request.output.path);
    if (!folder.isEmpty() && !QDir().mkpath(folder)) {
        Error error;
        error.code = ErrorCode::NotWritable;
        error.arguments = {{"file", request.output.path},
                           {"reason", std::string("the folder cannot be made")}};
        return error;
    }
    const Result<JobId> job = engine.submit(request, options);
    if (!job) return job.error();
    Result<JobRequest> resolved = engine.resolved(*job);
    return Submission{*job, resolved ? std::move(*resolved) : request};
}

void EngineClient::cancel(JobId job) {
    if (engine_) engine_->cancel(job);
}

void EngineClient::watchLoad(LoadWatch watch) {
    loadWatch_ = watch;
    if (engine_) engine_->watch_load(watch);
}

void EngineClient::pause(JobId job) {
    if (engine_) engine_->pause(job);
}

void EngineClient::resume(JobId job) {
    if (engine_) engine_->resume(job);
}

void EngineClient::stopAndDecode(JobId job) {
    if (engine_) engine_->stop_and_decode(job);
}

void EngineClient::move(JobId job, int place) {
    if (engine_) engine_->move(job, place);
}

void EngineClient::setQueueGate(QueueGate gate) {
    if (engine_) engine_->set_queue_gate(gate);
}

void EngineClient::forget(JobId job) {
    if (engine_) engine_->forget(job);
}

Plan EngineClient::planOf(JobId job) const {
    if (!engine_) return {};
    Result<Plan> plan = engine_->plan_of(job);
    return plan ? std::move(*plan) : Plan{};
}

PreviewClip EngineClient::preview(JobId job, int step) const {
    return engine_ ? engine_->preview(job, step) : PreviewClip{};
}

void EngineClient::customEvent(QEvent* event) {
    if (event->type() != kDrainEvent) return;
    // Cleared before draining: what arrives from here on wakes again.
    eventPending_ = false;
    // A job's first events must not overtake the reply that names the job.
    if (submissions_ > 0) return;
    if (engine_ && engine_->drain(*this, kDrainBudget)) wake();
}

void EngineClient::runOnWorker(std::function<void()> task) {
    QMetaObject::invokeMethod(workerContext_, std::move(task), Qt::QueuedConnection);
}

void EngineClient::runOnGui(std::function<void()> task) {
    QMetaObject::invokeMethod(this, std::move(task), Qt::QueuedConnection);
}

void EngineClient::wake() {
    if (!eventPending_.exchange(true)) QCoreApplication::postEvent(this, new QEvent(kDrainEvent));
}

} // namespace reelmesh
