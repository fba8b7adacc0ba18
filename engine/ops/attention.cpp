#include "ops/attention.h"

#include <ATen/ops/scaled_dot_product_attention.h>

namespace reelmesh::ops {

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, double scale) {
    return at::scaled_dot_product_attention(query.unsqueeze(0), key.unsqueeze(0), value.unsqueeze(0), {}, 0.0,
                                            false, scale)
        .squeeze(0);
}

} // namespace reelmesh::ops
