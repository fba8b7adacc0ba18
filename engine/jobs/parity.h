// Whether two meshes make the same clip of one job, in numbers.
#pragma once

#include "engine/engine.h"

namespace reelmesh {

/// What a run left: its mesh, a file with the latents of its steps, one with its frames.
struct ParityRun {
    std::string mesh, steps, frames;
    bool on_gpu = false;
};

/// The first run against the second. exact: of one rank in float32, where both are of a shorter type; its
/// files may be empty. Bounds: docs/tolerances.md. Throws what reading throws.
ParityReport compare_runs(const ParityRun& run, const ParityRun& against, const ParityRun& exact);

} // namespace reelmesh
