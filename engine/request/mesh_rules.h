// Which meshes a job may name: rules of the model and of its guidance, one a axis, and what to offer instead.
// What the machine can hold, and which legal mesh is best, are the planner's. Pure.
#pragma once

#include <string>
#include <vector>

#include "engine/request.h"
#include "request/mesh_shape.h"

namespace reelmesh {

/// What degrees are held against; 0: not known and not held.
struct MeshLimits {
    std::int64_t tokens = 0; ///< of the shortest sequence that is split
    std::int64_t heads = 0, ffn = 0, layers = 0;
    int branches = 1; ///< guidance branches that run
};

MeshLimits mesh_limits(const JobRequest& request, const FamilyRules& rules);

/// Every legal shape of exactly so many ranks with neither pipe nor data axis: more guidance branches first,
/// then more ulysses, then more ring.
std::vector<MeshShape> legal_meshes(const MeshLimits& limits, int ranks);

/// Every rule that a shape breaks, as MeshIllegal or MeshNotInBuild with the nearest legal meshes, those of
/// as many ranks first; empty: legal.
std::vector<Error> shape_faults(const MeshShape& shape, const MeshLimits& limits);

/// Faults of mesh and ranks against each other, the guidance (if set) and this build: what needs no model.
std::vector<Error> mesh_faults(const JobRequest& request);
/// The same against a model's sizes too. The request is complete.
std::vector<Error> mesh_faults(const JobRequest& request, const FamilyRules& rules);

/// Whether the heads of a tensor-parallel share divide by the ulysses degree; if not, the mesh is legal and
/// exact, but its slowest rank has a head more.
bool has_even_heads(const MeshShape& shape, const MeshLimits& limits);

/// Whether the job computes a branch without the prompt: decided once from guidance, also for the low-noise
/// expert.
bool uses_guidance(const JobRequest& request);

} // namespace reelmesh
