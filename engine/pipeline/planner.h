// What each mesh would cost a job on a machine, and which one is best. Pure: no weights, no devices, no
// clock.
#pragma once

#include <optional>

#include "engine/plan.h"
#include "models/family.h"
#include "request/model_card.h"
#include "request/model_presets.h"

namespace reelmesh {

/// The request with defaults in place, as plans and jobs need it; throws the first rule that it breaks.
JobRequest complete_request(const JobRequest& request, const FamilyRules& rules);

struct PlanInputs {
    const ModelCard& card;
    const FamilyRules& rules;
    const JobRequest& request; ///< complete and legal
    const HardwareSnapshot& hardware;
    int threads = 0; ///< 0: all cores
};

/// Legal meshes first, best first; refused ones after them, with the reason. A mesh named by the request is
/// the only candidate; with a number of ranks all meshes of that number are; with neither all numbers that
/// the machine holds, on a processor's cores one rank being best.
PlanSet make_plans(const PlanInputs& inputs);
/// The same of a model that need not be here; the request is complete for the preset's rules.
PlanSet make_plans(const ModelPreset& preset, const JobRequest& request, const HardwareSnapshot& hardware);

/// Ranks that the machine holds: one a GPU; without GPUs threads share the cores, at least 8.
int most_ranks(const HardwareSnapshot& hardware);
/// MeshTooLarge where a request asks for more, of the devices that it names or of all.
std::optional<Error> ranks_fault(const JobRequest& request, const HardwareSnapshot& hardware);

/// The plan a job runs: the first legal one. Throws the refusal of the first plan if none is legal.
const Plan& chosen_plan(const PlanSet& plans);

} // namespace reelmesh
