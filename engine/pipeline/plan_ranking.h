// The order of plans: which one a job gets when it does not ask. Pure.
#pragma once

#include <vector>

#include "engine/plan.h"

namespace reelmesh {

/// Legal plans by time; those within 2 % of the fastest by memory, there within 10 % of the least by bytes,
/// then by fewer axes, then by name. Refused plans follow in the order in which they came.
void rank_plans(std::vector<Plan>& plans);

} // namespace reelmesh
