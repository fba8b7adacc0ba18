// Weights of one attention of a Wan block, and the projections around it: of all heads, or of a
// tensor-parallel rank's share. Immutable, any thread.
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
    /// The share of a tensor-parallel rank: its heads, their inputs of the last projection. Views.
    Attention part(int part, int parts) const;

    double scale() const { return scale_; }
    /// [rows, width] to what is normed next, and to values: [rows, own heads * head_dim].
    void queries_into(const at::Tensor& out, const at::Tensor& rows) const { query_.into(out, rows); }
    void keys_into(const at::Tensor& out, const at::Tensor& rows) const { key_.into(out, rows); }
    void values_into(const at::Tensor& out, const at::Tensor& rows) const { value_.into(out, rows); }
    at::Tensor queries(const at::Tensor& rows) const { return query_(rows); }
    at::Tensor keys(const at::Tensor& rows) const { return key_(rows); }
    at::Tensor values(const at::Tensor& rows) const { return value_(rows); }
    /// Root-mean-square norm over all heads. squares: sums over the heads of every rank, [rows, 1]; undefined
    /// where this rank has all heads.
    at::Tensor norm_queries(const at::Tensor& rows, const at::Tensor& squares = {}) const;
    at::Tensor norm_keys(const at::Tensor& rows, const at::Tensor& squares = {}) const;
    /// [rows, own heads * head_dim] seen as [own heads, rows, head_dim].
    at::Tensor split_heads(const at::Tensor& rows) const;
    /// softmax(query key^T * scale) value, heads merged: [rows, own heads * head_dim].
    at::Tensor attend(const at::Tensor& queries, const KeysAndValues& context) const;
    /// The projection after heads are merged: [rows, width]; of a share a partial sum without output_bias().
    at::Tensor output(const at::Tensor& rows) const { return output_(rows); }
    void output_into(const at::Tensor& out, const at::Tensor& rows) const { output_.into(out, rows); }
    const at::Tensor& output_bias() const { return output_bias_; }

private:
    at::Tensor norm(const at::Tensor& rows, const at::Tensor& squares, const at::Tensor& weight) const;

    std::int64_t heads_, width_; ///< own heads; width of all
    double eps_, scale_;
    nn::Linear query_, key_, value_, output_;
    at::Tensor query_norm_, key_norm_, output_bias_;
};

} // namespace reelmesh::wan
