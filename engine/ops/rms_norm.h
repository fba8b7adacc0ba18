// Root-mean-square norm over the last dimension, computed in float32.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reelmesh::ops {

/// x * rsqrt(mean(x^2) + eps) * weight; x [rows, width], weight [width]. Rounded once, to x's type.
at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps);

/// The same of a part of the columns: squares [rows, 1] float32 are the sums over all width columns.
at::Tensor rms_norm_of_part(const at::Tensor& x, const at::Tensor& squares, std::int64_t width,
                            const at::Tensor& weight, double eps);
/// Sums of squares of the rows, [rows, 1] float32.
at::Tensor sums_of_squares(const at::Tensor& x);

/// The text encoder's order: x * rsqrt(mean(x^2) + eps) is rounded to the weight's type, then multiplied by
/// it.
at::Tensor rms_norm_then_scale(const at::Tensor& x, const at::Tensor& weight, double eps);

} // namespace reelmesh::ops
