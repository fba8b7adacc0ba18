// Which guidance branches a rank computes, and how they come together: all on one rank, or one
// each over the cfg axis. Both give the same operands in the same roles.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <vector>

#include "mesh/rank_context.h"

namespace reelmesh {

/// Ascending branch numbers of this rank; branches run in all (1 or 2).
std::vector<int> branches_of_rank(int branches, const RankContext& context);

/// Computes this rank's branches and returns all of them, [branch][stream], on every rank.
std::vector<std::vector<at::Tensor>>
run_branches(int branches, RankContext& context,
             const std::function<std::vector<at::Tensor>(int branch)>& velocity);

} // namespace reelmesh
