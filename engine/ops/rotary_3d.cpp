#include "ops/rotary_3d.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/complex.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/sin.h>
#include <ATen/ops/view_as_complex.h>
#include <ATen/ops/view_as_real.h>

namespace reelmesh::ops {

namespace {

// [positions, width / 2]
at::Tensor axis_phases(std::int64_t positions, std::int64_t width) {
    const at::Tensor frequencies =
        at::pow(10000.0, at::arange(0, width, 2, at::kDouble) / width).reciprocal_();
    const at::Tensor angles = at::outer(at::arange(positions, at::kDouble), frequencies);
    return at::complex(at::cos(angles).to(at::kFloat), at::sin(angles).to(at::kFloat));
}

} // namespace

at::Tensor rotary_3d_phases(const std::array<std::int64_t, 3>& token_grid, std::int64_t head_dim) {
    const auto [frames, rows, columns] = token_grid;
    const std::int64_t plane_width = 2 * (head_dim / 6);
    const auto spread = [&](const at::Tensor& phases) {
        return phases.expand({frames, rows, columns, phases.size(-1)});
    };
    return at::cat({spread(axis_phases(frames, head_dim - 2 * plane_width).view({frames, 1, 1, -1})),
                    spread(axis_phases(rows, plane_width).view({1, rows, 1, -1})),
                    spread(axis_phases(columns, plane_width).view({1, 1, columns, -1}))},
                   -1)
        .view({frames * rows * columns, head_dim / 2});
}

at::Tensor rotate_pairs(const at::Tensor& x, const at::Tensor& phases) {
    const std::int64_t rows = x.size(0);
    const at::Tensor pairs = at::view_as_complex(x.to(at::kFloat).view({rows, -1, phases.size(-1), 2}));
    return at::view_as_real(pairs * phases.unsqueeze(1)).view({rows, -1}).to(x.scalar_type());
}

} // namespace reelmesh::ops
