// Asks the engine what the draft's mesh costs and which others there are, after each change of the draft, and
// hands the answers to the models of the mesh panel. Never more than one question at a time; the last state
// is always asked for. GUI thread; the client and the models outlive it.
#pragma once

#include <QObject>
#include <QTimer>

#include "bridge/engine_client.h"
#include "models/mesh_choice.h"
#include "models/mesh_model.h"
#include "models/plan_table_model.h"

namespace reelmesh {

class MeshPlanner : public QObject {
    Q_OBJECT

public:
    struct Targets {
        MeshChoice& choice;
        MeshModel& picture;
        PlanTableModel& table;
    };

    MeshPlanner(EngineClient& client, RequestDraft& draft, const Targets& targets, QObject* parent = nullptr);

    /// What the table lists: every mesh of this machine for the draft's other settings.
    static JobRequest openQuestion(JobRequest request);

Q_SIGNALS:
    /// The answers to the draft as it was then are in the models.
    void planned();

private:
    struct Answer {
        HardwareSnapshot hardware;
        JobRequest asked;
        Result<PlanSet> own, all;
    };

    void ask();
    void take(const Answer& answer);

    EngineClient& client_;
    RequestDraft& draft_;
    Targets targets_;
    QTimer soon_;
    bool asking_ = false;
    std::optional<JobRequest> asked_;
};

} // namespace reelmesh
