// Weights of one attention of a Wan block, and the projections around it. Immutable, any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "nn/linear.h"
#include "request/model_card.h"
#include "weights/loader.h"

namespace reelmesh::wan {

/// [heads, tokens, head_dim] each.
struct KeysAndValues {
    at::Tensor keys, values;
};

class Attention {
public:
    /// Takes NAME.to_q ... NAME.norm_k.
    Attention(const WanTransformerConfig& config, const std::string& name, WeightMap& weights);

    /// [rows, width] to normed queries or keys, or values, of the same shape.
    at::Tensor queries(const at::Tensor& rows) const;
    at::Tensor keys(const at::Tensor& rows) const;
    at::Tensor values(const at::Tensor& rows) const { return value_(rows); }
    void values_into(const at::Tensor& out, const at::Tensor& rows) const { value_.into(out, rows); }
    /// [rows, width] seen as [heads, rows, head_dim].
    at::Tensor split_heads(const at::Tensor& rows) const;
    /// softmax(query key^T / sqrt(head_dim)) value, heads merged: [rows, width].
    at::Tensor attend(const at::Tensor& queries, const KeysAndValues& context) const;
    /// The projection after heads are merged.
    at::Tensor output(const at::Tensor& rows) const { return output_(rows); }

private:
    std::int64_t heads_;
    double eps_, scale_;
    nn::Linear query_, key_, value_, output_;
    at::Tensor query_norm_, key_norm_;
};

} // namespace reelmesh::wan
