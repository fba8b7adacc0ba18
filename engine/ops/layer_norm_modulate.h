// Layer norm without weights, then shift and scale from the time embedding, all in float32.
#pragma once

#include <ATen/core/Tensor.h>

namespace reelmesh::ops {

/// LN(x) * (1 + scale) + shift; x [rows, width] of any type, shift and scale [rows or 1, width] float32.
/// Rounded once, to x's type.
at::Tensor layer_norm_modulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale,
                               double eps);

} // namespace reelmesh::ops
