// What the draft would cost: planned off the GUI thread a moment after a change, the latest wins, at most one
// plan is under way. Where it is impossible, ways out that were planned too. GUI thread; client and draft
// outlive it.
#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>

#include "engine/engine.h"

namespace reelmesh {

class EngineClient;
class RequestDraft;

class PlanModel : public QObject {
    Q_OBJECT

public:
    /// A change of the draft that is possible.
    struct Fix {
        QString text; ///< "49 frames"
        JobRequest request;
    };
    static constexpr int kDelay_ms = 30;

    PlanModel(EngineClient& client, RequestDraft& draft, QObject* parent = nullptr);

    /// All meshes of the draft, best first; the draft's own among them.
    const PlanSet& plans() const { return answer_.plans; }
    const HardwareSnapshot& hardware() const { return answer_.hardware; }
    /// Why there is no plan at all, or why the chosen one is refused.
    const std::optional<Error>& error() const { return answer_.error; }
    /// What the job would run: of the draft's mesh or, where that is auto, the best legal one of the ranks
    /// asked. nullptr: none is possible, or none is known yet.
    const Plan* chosen() const;
    /// Plans are those of the draft as it is now.
    bool isCurrent() const { return current_; }
    const QList<Fix>& fixes() const { return answer_.fixes; }
    /// Puts a fix into the draft.
    void apply(const Fix& fix);

    /// Nothing known speaks against Generate. Else Generate should lead to the cause.
    bool canGenerate() const;
    /// A sentence; "": can.
    QString whyNot() const;

public Q_SLOTS:
    /// Plans anew though the draft is the same: memory or devices have changed.
    void refresh();

Q_SIGNALS:
    void changed();

private:
    struct Answer {
        PlanSet plans;
        HardwareSnapshot hardware;
        std::optional<Error> error;
        int chosen = -1; ///< index in plans
        QList<Fix> fixes;
    };

    static Answer plan(Engine& engine, const JobRequest& request);
    static QList<Fix> findFixes(Engine& engine, const JobRequest& request, const Answer& answer);
    void follow();
    void start();
    void receive(Answer answer);

    EngineClient& client_;
    RequestDraft& draft_;
    QTimer timer_;
    JobRequest wanted_; ///< what the plans shall be of
    bool inFlight_ = false;
    bool stale_ = true; ///< wanted_ has changed since the plan under way began
    bool current_ = false;
    Answer answer_;
};

} // namespace reelmesh
