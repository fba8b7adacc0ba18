// Scaled dot-product attention over whole sequences, no mask, not causal.
#pragma once

#include <ATen/core/Tensor.h>

#include <tuple>

namespace reelmesh::ops {

/// query [heads, n, head_dim], key and value [heads, m, head_dim], one dtype; returns [heads, n, head_dim].
/// softmax(query key^T * scale) value with softmax in float32.
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value, double scale);

/// The same, and for each query the natural logarithm of sum exp(scale * query key^T), [heads, n] float32:
/// what partial results are merged by.
std::tuple<at::Tensor, at::Tensor> attention_with_sums(const at::Tensor& query, const at::Tensor& key,
                                                       const at::Tensor& value, double scale);

} // namespace reelmesh::ops
