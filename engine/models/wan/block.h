// One transformer block: self-attention, attention to the text, feed-forward. Immutable, any
// thread; what it works on belongs to the caller. Everything but self-attention is done for a
// block of rows at a time, so that intermediate values stay in a core's cache. Of a tensor-parallel rank's
// share the sums over the ranks stand between such passes.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "mesh/rank_context.h"
#include "models/wan/attention.h"
#include "models/wan/time_codes.h"
#include "nn/linear.h"
#include "parallel/sequence_parallel.h"
#include "request/model_card.h"
#include "weights/loader.h"

namespace reelmesh::wan {

/// A run's tensors over the rank's own tokens, in the model's type; reused by every block and step.
struct TokenBuffers {
    at::Tensor hidden;                          ///< [tokens, width]
    std::shared_ptr<SequenceParallel> sequence; ///< queries, keys and values, and their exchange
    // Of a tensor-parallel rank.
    at::Tensor partial; ///< [tokens, width]: a sum over ranks in the making
    at::Tensor squares; ///< [tokens, 2] float32: of queries and keys
    at::Tensor queries; ///< [tokens, own heads * head_dim]: to the text
};

class Block {
public:
    Block(const WanTransformerConfig& config, std::int64_t layer, WeightMap& weights);
    /// The share of a tensor-parallel rank, as views.
    Block part(int part, int parts) const;

    /// Keys and values of the embedded text [tokens, width]: the same in every step.
    KeysAndValues project_context(const at::Tensor& text, RankContext& context) const;
    /// Replaces buffers.hidden. phases [own tokens, head_dim / 2] as rotary_3d makes them.
    void forward(const TokenBuffers& buffers, const TimeCodes& times, const at::Tensor& phases,
                 const KeysAndValues& text, RankContext& context) const;

    const Attention& self_attention() const { return self_attention_; }
    const Attention& cross_attention() const { return cross_attention_; }
    /// Normed before attention to the text, in x's type.
    at::Tensor norm_before_cross(const at::Tensor& rows) const;
    at::Tensor feed_forward(const at::Tensor& rows) const;
    /// [rows or 1, 6, width] float32: shift, scale, gate of self-attention, then of the feed-forward.
    at::Tensor modulation(const TimeCodes& times, std::int64_t first, std::int64_t count) const;

private:
    void project(const TokenBuffers& buffers, const TimeCodes& times, const at::Tensor& phases,
                 RankContext& context) const;
    void finish(const TokenBuffers& buffers, const at::Tensor& attended, const TimeCodes& times,
                const KeysAndValues& text, RankContext& context) const;
    void finish_share(const TokenBuffers& buffers, const at::Tensor& attended, const TimeCodes& times,
                      const KeysAndValues& text, RankContext& context) const;
    void sum_over_ranks(const at::Tensor& partial, ExchangePurpose purpose, RankContext& context) const;

    int layer_;
    double eps_;
    at::Tensor scale_shift_table_; ///< [1, 6, width] float32
    Attention self_attention_, cross_attention_;
    at::Tensor cross_norm_weight_, cross_norm_bias_; ///< undefined: identity
    nn::Linear expand_, contract_;
    at::Tensor contract_bias_;
};

} // namespace reelmesh::wan
