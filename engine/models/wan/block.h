// One transformer block: self-attention, attention to the text, feed-forward. Immutable, any
// thread; what it works on belongs to the caller. Everything but self-attention is done for a
// block of rows at a time, so that intermediate values stay in a core's cache.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/wan/attention.h"
#include "models/wan/time_codes.h"
#include "nn/linear.h"
#include "request/model_card.h"
#include "weights/loader.h"

namespace reelmesh::wan {

/// A run's tensors over all tokens, [tokens, width] in the model's type; reused by every block and step.
struct TokenBuffers {
    at::Tensor hidden, queries, keys, values;
};

class Block {
public:
    Block(const WanTransformerConfig& config, std::int64_t layer, WeightMap& weights);

    /// Keys and values of the embedded text [tokens, width]: the same in every step.
    KeysAndValues project_context(const at::Tensor& text) const;
    /// Replaces buffers.hidden. phases [tokens, head_dim / 2] as rotary_3d makes them.
    void forward(const TokenBuffers& buffers, const TimeCodes& times, const at::Tensor& phases,
                 const KeysAndValues& context) const;

    const Attention& self_attention() const { return self_attention_; }
    const Attention& cross_attention() const { return cross_attention_; }
    /// Normed before attention to the text, in x's type.
    at::Tensor norm_before_cross(const at::Tensor& rows) const;
    at::Tensor feed_forward(const at::Tensor& rows) const;
    /// [rows or 1, 6, width] float32: shift, scale, gate of self-attention, then of the feed-forward.
    at::Tensor modulation(const TimeCodes& times, std::int64_t first, std::int64_t count) const;

private:
    double eps_;
    at::Tensor scale_shift_table_; ///< [1, 6, width] float32
    Attention self_attention_, cross_attention_;
    at::Tensor cross_norm_weight_, cross_norm_bias_; ///< undefined: identity
    nn::Linear expand_, contract_;
};

} // namespace reelmesh::wan
