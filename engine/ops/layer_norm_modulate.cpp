#include "ops/layer_norm_modulate.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/layer_norm.h>

namespace reelmesh::ops {

at::Tensor layer_norm_modulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale,
                               double eps) {
    return at::layer_norm(x.to(at::kFloat), {x.size(-1)}, {}, {}, eps)
        .mul_(scale + 1)
        .add_(shift)
        .to(x.scalar_type());
}

} // namespace reelmesh::ops
