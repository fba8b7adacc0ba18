// Rotary position of video tokens: pairs of features turn by angles of frame, row and column.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace reelmesh::ops {

/// cos + i sin as complex float32, [tokens, head_dim / 2], tokens in order frame, row, column. A head's
/// features are split into frame | row | column parts; rows and columns get 2 * (head_dim / 6) each. Angles
/// in float64.
at::Tensor rotary_3d_phases(const std::array<std::int64_t, 3>& token_grid, std::int64_t head_dim);

/// Turns every pair (2m, 2m + 1) of every head. x [rows, heads * head_dim], phases [rows, head_dim / 2];
/// computed in float32, rounded to x's type.
at::Tensor rotate_pairs(const at::Tensor& x, const at::Tensor& phases);

} // namespace reelmesh::ops
