// Classifier-free guidance. Operands have fixed roles on every rank, so that all compute the same bits.
#pragma once

#include <ATen/core/Tensor.h>

namespace reelmesh {

/// unconditional + scale * (conditional - unconditional), float32 whatever the model's dtype.
at::Tensor guide(const at::Tensor& conditional, const at::Tensor& unconditional, double scale);

} // namespace reelmesh
