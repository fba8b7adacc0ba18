// Prompts to contexts: cleaned, tokenised, encoded, padded with zero rows to the token limit.
#pragma once

#include <vector>

#include "mesh/mesh_runner.h"
#include "models/family.h"
#include "pipeline/generate.h"

namespace reelmesh {

/// How many guidance branches run: 1 at guidance <= 1, else what the family has.
int guidance_branches(const JobRequest& request, const FamilyDescription& description);

/// Contexts of each branch that runs: 0 conditional, 1 unconditional. Each branch is encoded by
/// one rank, different branches by different ranks where there are several.
/// --prompt-embeds and --negative-embeds take the place of encoding; --save-embeds writes the result.
std::vector<BranchContexts> encode_prompts(const GenerateTask& task, const LoadedModel& model,
                                           const FamilyDescription& description, MeshRunner& mesh,
                                           JobHooks& hooks, std::vector<std::string>& notices);

} // namespace reelmesh
