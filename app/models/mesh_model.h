// State of the mesh picture: the mesh of the draft as it is planned, then the mesh of the job as it runs.
// Takes the engine's events in any rate and says changed() at most ten times a second. Knows no engine and no
// widget. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

#include <optional>

#include "engine/mesh_info.h"
#include "engine/plan.h"
#include "models/mesh_scene.h"
#include "models/rank_activity.h"
#include "models/running_job.h"

namespace reelmesh {

class MeshModel : public QObject {
    Q_OBJECT

public:
    static constexpr int kRefresh_ms = 100;

    explicit MeshModel(QObject* parent = nullptr);

    /// The plan of the draft is the first one; a refused one leaves what was there.
    void setPlans(const PlanSet& plans, const HardwareSnapshot& hardware);
    void setHardware(const HardwareSnapshot& hardware);

    void begin(const RunningJob& job);
    void apply(const JobStateChanged& event);
    void apply(const StepDone& event);
    /// Those of other jobs, such as a parity check's, change nothing.
    void apply(JobId job, const std::vector<TelemetryEvent>& events);
    void apply(const LoadSample& sample);

    /// As of the last changed().
    const MeshScene& scene() const { return scene_; }
    const HardwareSnapshot& hardware() const { return hardware_; }
    /// A job's mesh is shown, not the draft's.
    bool isRunning() const { return running_; }

Q_SIGNALS:
    void changed();

private:
    struct Measured {
        double used = kUnknown, peak = kUnknown, total = kUnknown;
    };

    const Plan* shown() const;
    void touch();
    void refresh();
    MeshScene makeScene(const Plan& plan) const;
    RankCard makeCard(const Plan& plan, int rank) const;
    MeshLink makeLink(const Plan& plan, MeshAxis axis, std::vector<int> ranks) const;
    void addTimes(std::vector<RankCard>& cards) const;
    const Measured& measured(const std::string& device) const;
    bool isStaged(const std::string& one, const std::string& other) const;

    HardwareSnapshot hardware_;
    std::optional<Plan> draft_, job_;
    JobId jobId_ = 0;
    bool running_ = false;
    RankActivity activity_;
    std::map<std::string, Measured> memory_; ///< by device id
    MeshScene scene_;
    QTimer later_;
    QElapsedTimer since_;
};

} // namespace reelmesh
