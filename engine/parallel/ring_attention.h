// Attention over key and value blocks that go around a ring of ranks: while one block is attended the next is
// under way. Partial results are merged by their log-sum-exp in float32, in a fixed order, and rounded once.
// Equations: section 3.3 of the parallelism page (online softmax). One job, one rank.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>

#include "mesh/rank_context.h"
#include "parallel/sequence_split.h"

namespace reelmesh {

/// A partial result: output [tokens, heads, head_dim] and log_sum_exp [heads, tokens], both float32.
struct PartialAttention {
    at::Tensor output, log_sum_exp;
};

/// merged = merged and part, in place. A row that a part did not see at all (log-sum-exp of -infinity) stays
/// as it is.
void merge_attention(PartialAttention& merged, const PartialAttention& part);

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
