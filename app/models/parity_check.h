// Two steps of the draft on its mesh and on one rank, compared by the engine. Its runs go through the
// engine's queue like any job; they can be cancelled and are when this object ends. One check at a time. GUI
// thread; the client outlives it.
#pragma once

#include <QObject>
#include <QString>

#include <set>

#include "bridge/engine_client.h"

namespace reelmesh {

class ParityCheck : public QObject {
    Q_OBJECT

public:
    static constexpr int kSteps = 2;

    explicit ParityCheck(EngineClient& client, QObject* parent = nullptr);
    ~ParityCheck() override;

    /// mesh: what the request would run on. Nothing while a check runs or without an engine.
    void start(JobRequest request, const QString& mesh);
    void cancel();
    bool isRunning() const { return running_; }
    bool isPossible() const { return client_.state() == EngineClient::State::Ready; }
    /// Whether a job that the engine tells of belongs to a check and not to the window.
    bool owns(JobId job) const { return own_.count(job) > 0; }

    /// "cfg2 against single: latents rel L2 3.1e-07 (at most 2e-05), frames max 0/255 (at most 1/255)".
    static QString text(const ParityReport& report);

Q_SIGNALS:
    void started(const QString& mesh);
    void finished(const reelmesh::ParityReport& report);
    void failed(const reelmesh::Error& error);

private:
    void onState(const JobStateChanged& event);

    EngineClient& client_;
    bool running_ = false, cancelAsked_ = false;
    std::set<JobId> submitted_; ///< by the window
    std::set<JobId> own_;
};

} // namespace reelmesh
