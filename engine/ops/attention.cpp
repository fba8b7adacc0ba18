#include "ops/attention.h"

#include <ATen/ops/_scaled_dot_product_efficient_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/scaled_dot_product_attention.h>

namespace reelmesh::ops {

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, double scale) {
    return at::scaled_dot_product_attention(query.unsqueeze(0), key.unsqueeze(0), value.unsqueeze(0), {}, 0.0,
                                            false, scale)
        .squeeze(0);
}

std::tuple<at::Tensor, at::Tensor> attention_with_sums(const at::Tensor& query, const at::Tensor& key,
                                                       const at::Tensor& value, double scale) {
    const at::Tensor q = query.unsqueeze(0), k = key.unsqueeze(0), v = value.unsqueeze(0);
    if (q.device().is_cpu()) {
        const auto [output, sums] =
            at::_scaled_dot_product_flash_attention_for_cpu(q, k, v, 0.0, false, {}, scale);
        return {output.squeeze(0), sums.squeeze(0).narrow(-1, 0, query.size(1))};
    }
    if (q.scalar_type() == at::kFloat) {
        const auto result = at::_scaled_dot_product_efficient_attention(q, k, v, {}, true, 0.0, false, scale);
        // Its rows are padded to whole tiles.
        return {std::get<0>(result).squeeze(0), std::get<1>(result).squeeze(0).narrow(-1, 0, query.size(1))};
    }
    const auto result = at::_scaled_dot_product_flash_attention(q, k, v, 0.0, false, false, scale);
    return {std::get<0>(result).squeeze(0), std::get<1>(result).squeeze(0).narrow(-1, 0, query.size(1))};
}

} // namespace reelmesh::ops
