// The one door between placements: what has to move, moves here.
#pragma once

#include "mesh/rank_context.h"
#include "parallel/placement.h"

namespace reelmesh {

/// Branch to Whole: local [..] of each branch becomes [branches, ..] in branch order on every rank, one
/// exchange. Whole to Branch: this rank's entry of [branches, ..], nothing moves. Equal placements: the
/// tensor as it is. Internal error for a pair that nobody moves.
MeshTensor redistribute(const MeshTensor& tensor, const Placement& to, RankContext& context);

} // namespace reelmesh
