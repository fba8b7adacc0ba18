#include "models/wan/attention.h"

#include <cmath>

#include "ops/attention.h"
#include "ops/rms_norm.h"

namespace reelmesh::wan {

Attention::Attention(const WanTransformerConfig& config, const std::string& name, WeightMap& weights)
    : heads_(config.num_attention_heads), width_(config.width()), eps_(config.eps),
      scale_(1 / std::sqrt(static_cast<double>(config.attention_head_dim))), query_(weights, name + ".to_q"),
      key_(weights, name + ".to_k"), value_(weights, name + ".to_v"), output_(weights, name + ".to_out.0"),
      query_norm_(weights.take(name + ".norm_q.weight")), key_norm_(weights.take(name + ".norm_k.weight")),
      output_bias_(output_.bias()) {}

Attention Attention::part(int part, int parts) const {
    Attention share = *this;
    share.heads_ = heads_ / parts;
    share.query_ = query_.column_part(part, parts);
    share.key_ = key_.column_part(part, parts);
    share.value_ = value_.column_part(part, parts);
    share.output_ = output_.row_part(part, parts);
    const std::int64_t columns = width_ / parts;
    share.query_norm_ = query_norm_.narrow(0, part * columns, columns);
    share.key_norm_ = key_norm_.narrow(0, part * columns, columns);
    return share;
}

at::Tensor Attention::norm(const at::Tensor& rows, const at::Tensor& squares,
                           const at::Tensor& weight) const {
    return squares.defined() ? ops::rms_norm_of_part(rows, squares, width_, weight, eps_)
                             : ops::rms_norm(rows, weight, eps_);
}

at::Tensor Attention::norm_queries(const at::Tensor& rows, const at::Tensor& squares) const {
    return norm(rows, squares, query_norm_);
}

at::Tensor Attention::norm_keys(const at::Tensor& rows, const at::Tensor& squares) const {
    return norm(rows, squares, key_norm_);
}

at::Tensor Attention::split_heads(const at::Tensor& rows) const {
    return rows.view({rows.size(0), heads_, -1}).transpose(0, 1);
}

at::Tensor Attention::attend(const at::Tensor& queries, const KeysAndValues& context) const {
    return ops::attention(split_heads(queries), context.keys, context.values, scale_)
        .transpose(0, 1)
        .reshape({queries.size(0), -1});
}

} // namespace reelmesh::wan
