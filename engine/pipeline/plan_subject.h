// What of a model and a request a plan follows from: sizes, work and bytes, gathered once for all meshes.
// Pure: no weights are read.
#pragma once

#include <ATen/core/ScalarType.h>

#include <optional>

#include "engine/mesh_info.h"
#include "models/family.h"
#include "request/model_card.h"
#include "request/model_presets.h"

namespace reelmesh {

struct PlanSubject {
    FamilyRules rules;
    JobRequest request; ///< complete and legal
    at::ScalarType dtype = at::kFloat;
    int element_bytes = 4; ///< of the transformer's activations
    TransformerShape shape;
    int branches = 1, experts = 1;
    std::int64_t image_tokens = 0, token_features = 0;
    std::int64_t latent_frames = 0, latent_height = 0, latent_width = 0;
    std::optional<WanVaeConfig> vae;

    std::uint64_t block_weight_bytes = 0, other_weight_bytes = 0; ///< blocks: split by tensor parallelism
    std::uint64_t context_bytes = 0; ///< projected text of one branch and all experts, float32, one rank
    std::uint64_t text_activation_bytes = 0;
    double text_flop = 0;   ///< to encode one prompt
    double decode_flop = 0; ///< of the whole clip

    std::int64_t tokens() const { return image_tokens + shape.joint_text_tokens; }
};

PlanSubject plan_subject(const ModelCard& card, const FamilyRules& rules, const JobRequest& request,
                         const HardwareSnapshot& hardware);
/// request: complete for the preset's rules.
PlanSubject plan_subject(const ModelPreset& preset, const JobRequest& request,
                         const HardwareSnapshot& hardware);

} // namespace reelmesh
