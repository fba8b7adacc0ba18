#include "sampling/guidance.h"

#include <ATen/TensorOperators.h>

namespace reelmesh {

at::Tensor guide(const at::Tensor& conditional, const at::Tensor& unconditional, double scale) {
    const at::Tensor base = unconditional.to(at::kFloat);
    return base + (conditional.to(at::kFloat) - base) * scale;
}

} // namespace reelmesh
