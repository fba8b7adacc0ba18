// Hands what the planner says of the draft to the models of the mesh panel. Keeps no state. GUI thread; all
// models outlive it.
#pragma once

#include <QObject>

namespace reelmesh {

class MeshChoice;
class MeshModel;
class PlanModel;
class PlanTableModel;
class RequestDraft;

class MeshFeed : public QObject {
    Q_OBJECT

public:
    struct Targets {
        MeshChoice& choice;
        MeshModel& picture;
        PlanTableModel& table;
    };

    MeshFeed(PlanModel& plans, RequestDraft& draft, const Targets& targets, QObject* parent = nullptr);

private:
    void hand();

    PlanModel& plans_;
    RequestDraft& draft_;
    Targets targets_;
};

} // namespace reelmesh
