// Self-attention over a sequence whose tokens are split: Ulysses turns a split of tokens into a split of
// heads and back, ring passes keys and values around. Every token attends to every token; padding does not
// exist, and neither token nor head counts have to divide. One job, one rank; holds the buffers of the
// exchanges.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "mesh/rank_context.h"
#include "parallel/ring_attention.h"
#include "parallel/sequence_split.h"

namespace reelmesh {

/// What is attended: heads are those of this tensor-parallel rank.
struct AttentionShape {
    std::int64_t heads = 1, head_dim = 1;
    at::TensorOptions options; ///< type and device
};

class SequenceParallel {
public:
    SequenceParallel(const SequenceSplit& split, const AttentionShape& shape, RankContext& context);

    const SequenceSplit& split() const { return split_; }
    /// [3, own tokens, heads, head_dim]: queries, keys and values, for the caller to fill before attend().
    const at::Tensor& qkv() const { return qkv_; }
    /// The same seen as [own tokens, heads * head_dim]; 0 queries, 1 keys, 2 values.
    at::Tensor rows(int which) const { return qkv_.select(0, which).flatten(1); }
    /// softmax(q k^T scale) v over the whole sequence: [own tokens, heads * head_dim].
    at::Tensor attend(double scale, int layer, RankContext& context);

private:
    SequenceSplit split_;
    Parts heads_; ///< over ulysses
    at::Tensor qkv_;
    at::Tensor gathered_; ///< [3, tokens of the ring block, own heads, head_dim]; undefined without ulysses
    at::Tensor returned_; ///< [own tokens, heads, head_dim]; likewise
    RingAttention ring_;
};

} // namespace reelmesh
