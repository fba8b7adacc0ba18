#include "jobs/parity.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "request/mesh_shape.h"
#include "weights/safetensors.h"
#include "weights/tensor_io.h"

namespace reelmesh {
namespace {

constexpr double kLatentBound = 2e-5, kFrameBound = 1.0 / 255;
/// Of devices of another kind: other kernels, other orders of sums.
constexpr double kOtherKindLatentBound = 5e-5, kOtherKindFrameBound = 2.0 / 255;

struct Distance {
    double steps = 0;  ///< relative L2, the largest over the steps
    double frames = 0; ///< largest difference of a value in 0 ... 1
    bool equal = true;
};

Distance distance_between(const ParityRun& run, const ParityRun& against) {
    Distance distance;
    const SafetensorsFile file(run.steps);
    for (const auto& [key, entry] : file.tensors()) {
        if (!key.starts_with("step_")) continue;
        const at::Tensor mine = read_tensor(run.steps, key, entry.shape),
                         theirs = read_tensor(against.steps, key, entry.shape);
        const at::Tensor exact = theirs.to(at::kDouble);
        distance.steps =
            std::max(distance.steps, ((mine.to(at::kDouble) - exact).norm() / exact.norm()).item<double>());
        distance.equal = distance.equal && mine.equal(theirs);
    }
    const std::vector<std::int64_t> any(4, -1);
    const at::Tensor mine = read_tensor(run.frames, "frames", any),
                     theirs = read_tensor(against.frames, "frames", any);
    distance.frames = (mine - theirs).abs().max().item<double>();
    return distance;
}

bool only_guidance_differs(const ParityRun& run, const ParityRun& against) {
    MeshShape first = parse_mesh(run.mesh), second = parse_mesh(against.mesh);
    for (MeshShape* shape : {&first, &second})
        shape->degrees[static_cast<std::size_t>(Axis::Cfg)] =
            shape->degrees[static_cast<std::size_t>(Axis::Data)] = 1;
    return first == second;
}

} // namespace

ParityReport compare_runs(const ParityRun& run, const ParityRun& against, const ParityRun& exact) {
    const Distance distance = distance_between(run, against);
    ParityReport report;
    report.mesh = run.mesh;
    report.against = against.mesh;
    report.latents_rel_l2 = distance.steps;
    report.frames_max_abs = distance.frames;
    report.latents_equal = distance.equal;
    const bool other_kind = run.on_gpu != against.on_gpu;
    report.frames_bound = other_kind ? kOtherKindFrameBound : kFrameBound;
    if (!other_kind && only_guidance_differs(run, against)) {
        report.latents_bound = 0;
        report.within = distance.equal && distance.frames <= kFrameBound;
    } else if (exact.steps.empty()) {
        report.latents_bound = other_kind ? kOtherKindLatentBound : kLatentBound;
        report.within = distance.steps <= report.latents_bound && distance.frames <= report.frames_bound;
    } else {
        // Rounded arithmetic: as far from the exact result as the other mesh, up to twice.
        report.latents_rel_l2 = distance_between(run, exact).steps;
        report.latents_bound = 2 * distance_between(against, exact).steps;
        report.within = report.latents_rel_l2 <= report.latents_bound;
    }
    return report;
}

} // namespace reelmesh
