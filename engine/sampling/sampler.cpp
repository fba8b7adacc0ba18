#include "sampling/sampler.h"

#include <ATen/TensorOperators.h>

namespace reelmesh {

at::Tensor clean_estimate(const at::Tensor& velocity, const at::Tensor& sample, float sigma) {
    return sample - velocity * sigma;
}

} // namespace reelmesh
