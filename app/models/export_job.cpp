#include "export_job.h"

namespace reelmesh {
namespace {

constexpr int kPoll_ms = 100;

} // namespace

ExportJob::ExportJob(EngineClient& client, QObject* parent) : QObject(parent), client_(client) {
    poll_.setInterval(kPoll_ms);
    connect(&poll_, &QTimer::timeout, this, &ExportJob::changed);
}

ExportJob::~ExportJob() {
    if (control_) control_->cancel = true;
}

void ExportJob::start(ExportRequest request) {
    if (isRunning() || client_.state() != EngineClient::State::Ready) return;
    control_ = std::make_shared<ExportControl>();
    total_ = static_cast<qint64>(request.frames.size());
    state_ = State::Running;
    poll_.start();
    Q_EMIT changed();
    client_.ask(
        this,
        [request = std::move(request), control = control_](Engine& engine) {
            return engine.export_media(request, control).get();
        },
        [this](Result<ExportReport> result) { finish(std::move(result)); });
}

void ExportJob::cancel() {
    if (state_ != State::Running) return;
    control_->cancel = true;
    state_ = State::Stopping;
    Q_EMIT changed();
}

void ExportJob::finish(Result<ExportReport> result) {
    poll_.stop();
    if (result) {
        report_ = std::move(*result);
        state_ = State::Done;
    } else {
        error_ = result.error();
        state_ = error_.code == ErrorCode::Canceled ? State::Canceled : State::Failed;
    }
    Q_EMIT changed();
}

} // namespace reelmesh
