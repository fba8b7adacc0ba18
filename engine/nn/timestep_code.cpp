#include "nn/timestep_code.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cos.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/outer.h>
#include <ATen/ops/sin.h>

#include <cmath>

#include "base/check.h"

namespace reelmesh::nn {

// Near time 1000 one unit in the last place of a frequency turns the angle by 6e-5, so the order
// of operations and their precision are the model's own.
at::Tensor timestep_code(const at::Tensor& times, std::int64_t width) {
    REELMESH_CHECK(times.scalar_type() == at::kFloat);
    const std::int64_t half = width / 2;
    const at::Tensor frequencies = at::exp(at::arange(half, times.options()) * -std::log(10000.0) / half);
    const at::Tensor angles = at::outer(times, frequencies);
    return at::cat({at::cos(angles), at::sin(angles)}, -1);
}

} // namespace reelmesh::nn
