// Attention over key and value blocks that go around a ring of ranks: while one block is attended the next is
// under way. Blocks are added up in float32, in a fixed order, and rounded once (ops/online_attention). One
// job, one rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

#include "mesh/rank_context.h"
#include "parallel/sequence_split.h"

namespace reelmesh {

class RingAttention {
public:
    explicit RingAttention(const SequenceSplit& split) : split_(split) {}

    /// qkv [3, tokens of the own block, heads, head_dim]; returns [tokens, heads, head_dim] of its type,
    /// contiguous.
    at::Tensor attend(const at::Tensor& qkv, double scale, int layer, RankContext& context);

private:
    SequenceSplit split_;
    std::array<at::Tensor, 2> blocks_; ///< [2, tokens of the largest block, heads, head_dim]
};

} // namespace reelmesh
