// Time of a step on a mesh, from operations, bytes and what devices and links sustain. Pure.
#pragma once

#include <array>
#include <vector>

#include "engine/mesh_info.h"
#include "pipeline/communication.h"
#include "pipeline/plan_subject.h"

namespace reelmesh {

/// Operations of one forward of one branch, and once a job for each branch; a multiply-add counts two.
struct ForwardFlop {
    double linears = 0, self_attention = 0, cross_attention = 0;
    double context = 0; ///< keys and values of the text, once a job
    double total() const { return linears + self_attention + cross_attention; }
};
ForwardFlop forward_flop(const TransformerShape& shape, std::int64_t image_tokens);

/// Seconds of a step of the rank that takes longest, and how many of them each axis adds to its arithmetic.
struct StepCost {
    double seconds = 0, forward_seconds = 0;
    std::array<double, 6> exposed{}; ///< indexed by Axis
    double& exposed_by(Axis axis) { return exposed[static_cast<std::size_t>(axis)]; }
    double exposed_by(Axis axis) const { return exposed[static_cast<std::size_t>(axis)]; }
};

class CostModel {
public:
    /// Both must outlive it.
    CostModel(const PlanSubject& subject, const HardwareSnapshot& hardware);

    /// device_of_rank: indices into the hardware's devices; several ranks share one evenly.
    StepCost step(const WorkSplit& split, const std::vector<int>& device_of_rank) const;
    /// Relative speed of each sequence slot, its slowest rank's; empty where all are about alike.
    std::vector<double> slot_weights(const MeshShape& mesh, const std::vector<int>& device_of_rank) const;
    /// Of the prompts; ranks take a branch each.
    double text_seconds(const std::vector<int>& device_of_rank) const;
    struct Decode {
        double seconds = 0, exposed = 0;
    };
    /// traffic: null where one rank decodes.
    Decode decode(const VaeTraffic* traffic, const std::vector<int>& device_of_rank) const;
    /// Whether two devices may change places: alike, and as far from all others.
    bool interchangeable(int one, int other) const;

private:
    struct Link {
        double bytes_per_s, latency_s;
        bool runs_beside_arithmetic; ///< copied by engines of its own, not by the ranks' cores
    };
    struct Speed {
        double gemm, attention, memory, launch_s;
    };
    class Pricing;

    const Link& link(int from, int to) const;
    std::vector<Speed> speeds(const std::vector<int>& device_of_rank) const;

    const PlanSubject& subject_;
    const HardwareSnapshot& hardware_;
    std::vector<Link> links_; ///< [from * devices + to]
};

/// A job of so many steps whose layers are dealt to stages, each forward taking so long on one: the first
/// `warm_up` steps in order, then patches in flight, as many as stages.
double pipe_seconds(double forward_seconds, int steps, int stages, int patches, int warm_up);

} // namespace reelmesh
