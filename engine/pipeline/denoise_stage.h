// The loop: noise to latents, one step after another on every rank. Latents stay in token form, and each rank
// keeps latents and solver of its own tokens; ranks that have the same tokens keep them bit-equal.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "mesh/mesh_runner.h"
#include "models/family.h"
#include "pipeline/generate.h"
#include "pipeline/remaining_time.h"
#include "telemetry/collector.h"

namespace reelmesh {

struct DenoiseResult {
    /// One a stream, [1,C,T,H,W] in model space, in host memory. Stopped early on purpose: the clean estimate
    /// of the last step.
    std::vector<at::Tensor> latents;
    int steps_done = 0;
};

/// Initial latents from the seed, or from --initial-latents.
std::vector<at::Tensor> initial_latents(const GenerateTask& task, const FamilyDescription& description);

/// What the loop works with; all outlive it.
struct DenoiseInputs {
    const GenerateTask& task;
    const LoadedModel& model;
    const FamilyDescription& description;
    const std::vector<BranchContexts>& contexts;
    MeshRunner& mesh;
    RemainingTime& remaining;
    JobHooks& hooks;
    TelemetryCollector& collector;
};

/// Throws NotFinite (naming step and tensor), Canceled; then result holds the last complete step.
void denoise(const DenoiseInputs& inputs, DenoiseResult& result);

} // namespace reelmesh
