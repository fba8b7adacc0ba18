// Which meshes a job may name in this build, and the one it gets: one rank, or the two guidance branches side
// by side. What the machine can hold is the planner's. Pure.
#pragma once

#include <vector>

#include "engine/request.h"
#include "request/mesh_shape.h"

namespace reelmesh {

/// Faults of mesh and ranks against each other, the guidance (if set) and this build.
std::vector<Error> mesh_faults(const JobRequest& request);

/// The mesh of a request without faults: auto is two guidance branches for two ranks, else one rank.
MeshShape chosen_mesh(const JobRequest& request);

/// Whether the job computes a branch without the prompt: decided once from guidance, also for the low-noise expert.
bool uses_guidance(const JobRequest& request);

} // namespace reelmesh
