// Which mesh the draft asks for: automatic or by hand, whether it is legal, what to offer instead. Writes
// into the draft; what is legal it takes from the planner's answers. GUI thread.
#pragma once

#include <QObject>
#include <QStringList>

#include <optional>

#include "engine/mesh_info.h"
#include "engine/plan.h"
#include "models/mesh_degrees.h"
#include "models/request_draft.h"

namespace reelmesh {

class MeshChoice : public QObject {
    Q_OBJECT

public:
    enum class Mode { Auto, Manual };
    /// Unknown: the planner has not answered yet.
    enum class Legality { Unknown, Legal, Illegal };
    static constexpr int kMostCpuRanks = 8;

    explicit MeshChoice(RequestDraft& draft, QObject* parent = nullptr);

    /// All meshes that this machine could run the draft on.
    void setAlternatives(const PlanSet& plans, const HardwareSnapshot& hardware);
    /// What the planner says of the draft's own mesh; asked: the request that it was asked for.
    void setPlans(const PlanSet& plans, const JobRequest& asked);
    void setPlanError(const Error& error, const JobRequest& asked);

    Mode mode() const;
    /// Manual begins with the mesh that Auto had chosen.
    void setMode(Mode mode);
    /// The mesh as it would run, or as it was typed; "auto" until the planner has answered.
    QString text() const;
    /// Typed or pasted; "auto" is the mode.
    void setText(const QString& text);
    /// Of the text; single where it cannot be read.
    MeshDegrees degrees() const;
    void setDegree(MeshAxis axis, int degree);
    /// What the axis may be while the others stay, ascending; the degree in force is always among them.
    QList<int> legalDegrees(MeshAxis axis) const;

    bool isOnCpu() const { return onCpu_; }
    int cores() const { return cores_; }
    int cpuRanks() const;
    void setCpuRanks(int ranks);

    Legality legality() const;
    /// Whether a job may be queued with it. Auto always may.
    bool isLegal() const { return legality() == Legality::Legal; }
    /// One sentence; "": nothing is wrong.
    QString fault() const;
    /// Legal meshes instead, the nearest first, at most three.
    QStringList nearest() const;
    /// What Auto did with the CFG ranks while CFG is off; "": nothing.
    QString note() const;

Q_SIGNALS:
    void changed();

private:
    const Plan* alternative(const QString& mesh) const;
    bool isAnswered() const;
    bool guides() const;
    QString canonical() const;

    RequestDraft& draft_;
    PlanSet alternatives_;
    bool onCpu_ = true;
    int cores_ = 0; ///< 0: unknown
    int cpuRanks_ = 1;
    // The planner's last answer, and what it was about.
    std::string answered_;
    bool answeredGuides_ = true;
    std::optional<Plan> plan_;
    std::optional<Error> error_;
    QString guidedMesh_; ///< the last one that Auto chose while CFG was on
};

} // namespace reelmesh
