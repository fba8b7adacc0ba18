// Root-mean-square norm over the last dimension, computed in float32.
#pragma once

#include <ATen/core/Tensor.h>

namespace reelmesh::ops {

/// x * rsqrt(mean(x^2) + eps) * weight; x [rows, width], weight [width]. Rounded once, to x's type.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

/// The text encoder's order: x * rsqrt(mean(x^2) + eps) is rounded to the weight's type, then multiplied by
/// it.
at::Tensor rms_norm_then_scale(const at::Tensor& x, const at::Tensor& weight, double eps);

} // namespace reelmesh::ops
