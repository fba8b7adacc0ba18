// The product on one screen: load, encode, denoise, decode, write. Runs on the control thread.
#pragma once

#include <c10/core/Device.h>

#include <string>
#include <vector>

#include "engine/events.h"
#include "mesh/mesh_runner.h"
#include "pipeline/job_hooks.h"
#include "pipeline/loaded_model.h"

namespace reelmesh {

/// A job with everything decided.
struct GenerateTask {
    JobId job = 0;
    JobRequest request; ///< complete: defaults, seed and mesh in place
    RunOptions options;
    ModelCard card;
    FamilyRules rules;
    at::ScalarType dtype = at::kFloat;
    std::vector<c10::Device> devices; ///< of the ranks of all replicas, which share the model; empty: the CPU
    std::string output_format;        ///< "mp4", "png"
    std::string output_target;        ///< "": nothing is written
    bool exact_name = true;           ///< false: the next free name
};

/// report is filled as far as the job came, also when an exception leaves. Throws the stage's errors,
/// Canceled.
void generate(const GenerateTask& task, MeshRunner& mesh, ModelCache& models, JobHooks& hooks,
              JobReport& report);

} // namespace reelmesh
