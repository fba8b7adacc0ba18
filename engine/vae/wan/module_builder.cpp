#include "vae/wan/module_builder.h"

#include "base/check.h"

#include <ATen/ops/empty.h>

namespace reelmesh {

at::Tensor WeightTaker::take(const std::string& name, const std::vector<std::int64_t>& shape) {
    at::Tensor weight = weights_.take(name);
    REELMESH_CHECK(weight.sizes() == at::IntArrayRef(shape));
    REELMESH_CHECK(weight.scalar_type() == at::kFloat);
    return weight;
}

at::Tensor SpecRecorder::take(const std::string& name, const std::vector<std::int64_t>& shape) {
    specs_.push_back({name, shape, WeightPrecision::Float32, {}});
    return at::empty(shape, at::TensorOptions().device(at::kMeta).dtype(at::kFloat));
}

} // namespace reelmesh
