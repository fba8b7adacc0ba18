#include "sampling/euler.h"

#include <ATen/TensorOperators.h>

namespace reelmesh {

at::Tensor EulerSampler::advance(const at::Tensor& velocity, const at::Tensor& sample, int index) {
    return sample + velocity * (sigma(index + 1) - sigma(index));
}

} // namespace reelmesh
