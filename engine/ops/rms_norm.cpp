#include "ops/rms_norm.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/square.h>
#include <ATen/ops/sum.h>

namespace reelmesh::ops {

namespace {

at::Tensor normalised(const at::Tensor& x, double eps) {
    const at::Tensor exact = x.to(at::kFloat);
    return exact * at::mean(at::square(exact), {-1}, true).add_(eps).rsqrt_();
}

} // namespace

at::Tensor rms_norm(const at::Tensor& x, const at::Tensor& weight, double eps) {
    return normalised(x, eps).mul_(weight).to(x.scalar_type());
}

at::Tensor rms_norm_of_part(const at::Tensor& x, const at::Tensor& squares, std::int64_t width,
                            const at::Tensor& weight, double eps) {
    const at::Tensor factor = (squares / static_cast<double>(width)).add_(eps).rsqrt_();
    return (x.to(at::kFloat) * factor).mul_(weight).to(x.scalar_type());
}

at::Tensor sums_of_squares(const at::Tensor& x) {
    return at::sum(at::square(x.to(at::kFloat)), {-1}, true);
}

at::Tensor rms_norm_then_scale(const at::Tensor& x, const at::Tensor& weight, double eps) {
    return normalised(x, eps).to(weight.scalar_type()).mul_(weight);
}

} // namespace reelmesh::ops
