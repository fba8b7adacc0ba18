// What each mesh would cost a job on a machine. Pure: no weights, no devices, no clock.
#pragma once

#include <optional>

#include "engine/plan.h"
#include "models/family.h"
#include "request/model_card.h"

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

/// Legal meshes of this build first, best first; refused ones after them, with the reason. A mesh named by
/// the request is the only candidate.
PlanSet make_plans(const PlanInputs& inputs);

/// MeshTooLarge where the machine has fewer cores than ranks.
std::optional<Error> ranks_fault(int ranks, const HardwareSnapshot& hardware);

/// The plan a job runs: the first legal one. Throws the refusal of the first plan if none is legal.
const Plan& chosen_plan(const PlanSet& plans);

} // namespace reelmesh
