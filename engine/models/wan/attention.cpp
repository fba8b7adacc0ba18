#include "models/wan/attention.h"

#include <cmath>

#include "ops/attention.h"
#include "ops/rms_norm.h"

namespace reelmesh::wan {

Attention::Attention(const WanTransformerConfig& config, const std::string& name, WeightMap& weights)
    : heads_(config.num_attention_heads), eps_(config.eps),
      scale_(1 / std::sqrt(static_cast<double>(config.attention_head_dim))), query_(weights, name + ".to_q"),
      key_(weights, name + ".to_k"), value_(weights, name + ".to_v"), output_(weights, name + ".to_out.0"),
      query_norm_(weights.take(name + ".norm_q.weight")), key_norm_(weights.take(name + ".norm_k.weight")) {}

at::Tensor Attention::queries(const at::Tensor& rows) const {
    return ops::rms_norm(query_(rows), query_norm_, eps_);
}

at::Tensor Attention::keys(const at::Tensor& rows) const {
    return ops::rms_norm(key_(rows), key_norm_, eps_);
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
