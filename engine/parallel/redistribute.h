// The one door between placements: what has to move, moves here. Where the axis has no group nothing moves.
#pragma once

#include "mesh/rank_context.h"
#include "parallel/placement.h"

namespace reelmesh {

/// Branch to Whole: local [..] of each branch becomes [branches, ..] in branch order on every rank, one
/// exchange. Split to Split of another dimension, same axis: one all_to_all. Split to Whole: one all_gather.
/// PartialSum to Whole: one all_reduce, in place. Whole to Split or Branch: this rank's part, nothing moves.
/// Equal placements: the tensor as it is. Internal error for a pair that nobody moves. out: where the result
/// goes, shaped for it; undefined: a new tensor.
MeshTensor redistribute(const MeshTensor& tensor, const Placement& to, RankContext& context,
                        const CallTag& tag, at::Tensor out = {});

} // namespace reelmesh
