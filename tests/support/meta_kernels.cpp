#include "support/meta_kernels.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <memory>

#include "base/check.h"

namespace reelmesh::testing {
namespace {

at::Tensor convolution(const at::Tensor& input, const at::Tensor& weight,
                       const std::optional<at::Tensor>& bias, at::IntArrayRef stride, at::IntArrayRef padding,
                       at::IntArrayRef dilation, bool transposed, at::IntArrayRef, std::int64_t groups) {
    REELMESH_CHECK(input.is_meta() && weight.is_meta() && (!bias || bias->is_meta()));
    REELMESH_CHECK(!transposed && groups == 1);
    std::vector<std::int64_t> shape{input.size(0), weight.size(0)};
    for (std::size_t dim = 0; dim < stride.size(); ++dim) {
        const std::int64_t size = input.size(static_cast<std::int64_t>(dim) + 2),
                           kernel = dilation[dim] * (weight.size(static_cast<std::int64_t>(dim) + 2) - 1) + 1;
        shape.push_back((size + 2 * padding[dim] - kernel) / stride[dim] + 1);
    }
    return at::empty(shape, input.options());
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> layer_norm(const at::Tensor& input, at::IntArrayRef,
                                                          const std::optional<at::Tensor>& weight,
                                                          const std::optional<at::Tensor>& bias, double) {
    REELMESH_CHECK(input.is_meta() && (!weight || weight->is_meta()) && (!bias || bias->is_meta()));
    const at::Tensor statistics = at::empty({input.size(0), 1}, input.options());
    return {at::empty_like(input), statistics, statistics};
}

at::Tensor safe_softmax(const at::Tensor& input, std::int64_t, std::optional<at::ScalarType> type) {
    REELMESH_CHECK(input.is_meta());
    return at::empty_like(input, input.options().dtype(type.value_or(input.scalar_type())));
}

at::Tensor index_select(const at::Tensor& input, std::int64_t dim, const at::Tensor& index) {
    REELMESH_CHECK(input.is_meta() && index.is_meta());
    std::vector<std::int64_t> shape = input.sizes().vec();
    shape[static_cast<std::size_t>(dim)] = index.numel();
    return at::empty(shape, input.options());
}

} // namespace

void add_meta_kernels() {
    static const auto library = [] {
        auto made = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", c10::DispatchKey::Meta,
                                                     __FILE__, __LINE__);
        made->impl("convolution_overrideable", convolution);
        made->impl("native_layer_norm", layer_norm);
        made->impl("_safe_softmax", safe_softmax);
        made->impl("index_select", index_select);
        return made;
    }();
    (void)library;
}

} // namespace reelmesh::testing
