// One export while it runs, beside whatever job runs: progress, cancel, result. The engine writes; this polls
// how far it is. GUI thread; the client outlives it.
#pragma once

#include <QObject>
#include <QTimer>

#include <memory>

#include "bridge/engine_client.h"

namespace reelmesh {

class ExportJob : public QObject {
    Q_OBJECT

public:
    enum class State { Idle, Running, Stopping, Done, Failed, Canceled };

    explicit ExportJob(EngineClient& client, QObject* parent = nullptr);
    ~ExportJob() override; ///< cuts short what runs

    /// Nothing while one runs, or without an engine.
    void start(ExportRequest request);
    void cancel();

    State state() const { return state_; }
    bool isRunning() const { return state_ == State::Running || state_ == State::Stopping; }
    qint64 written() const { return control_ ? control_->written.load() : 0; }
    qint64 total() const { return total_; }
    /// State is Done.
    const ExportReport& report() const { return report_; }
    /// State is Failed.
    const Error& error() const { return error_; }

Q_SIGNALS:
    void changed();

private:
    void finish(Result<ExportReport> result);

    EngineClient& client_;
    State state_ = State::Idle;
    std::shared_ptr<ExportControl> control_;
    qint64 total_ = 0;
    ExportReport report_;
    Error error_;
    QTimer poll_;
};

} // namespace reelmesh
