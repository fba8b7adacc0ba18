#include "vae/wan/causal_conv.h"

#include "vae/wan/paged_tensor.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/zeros.h>

#include <array>

namespace reelmesh {
namespace {

FrameConv three_frames(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out,
                       ConvGeometry geometry) {
    const std::int64_t kernel = geometry.kernel;
    const at::Tensor weight = builder.take(prefix + "weight", {out, in, 3, kernel, kernel});
    const at::Tensor bias = builder.take(prefix + "bias", {out});
    return FrameConv(weight.permute({2, 0, 1, 3, 4}).reshape({3 * out, in, kernel, kernel}),
                     at::cat({at::zeros({2 * out}, bias.options()), bias}), geometry, builder.math());
}

} // namespace

CausalConv::CausalConv(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out,
                       ConvGeometry geometry)
    : looks_around_(geometry.kernel > 1), out_(out), conv_(three_frames(builder, prefix, in, out, geometry)),
      slot_(builder.new_slot()) {}

at::Tensor CausalConv::push(FrameInput input, StreamState& state, const at::Tensor& addend) const {
    if (looks_around_) add_border(input, state.band());
    StreamSlot& slot = state.at(slot_);
    if (conv_.math() == FrameMath::Tensors) return push_by_tensors(input, slot, addend);
    const std::array<std::int64_t, 3> shape{conv_.out_size(input, 0), conv_.out_size(input, 1), out_};
    if (!slot.first.defined()) {
        slot.first = empty_paged(shape).zero_();
        slot.second = empty_paged(shape).zero_();
    }
    at::Tensor output = empty_paged(shape);
    const std::int64_t width = output.size(1), row_values = width * out_;
    conv_.run(input, [&](const float* sums, std::int64_t first_row, std::int64_t num_rows) {
        const std::int64_t start = first_row * row_values;
        float* rows = output.mutable_data_ptr<float>() + start;
        shift_history(rows, slot.first.mutable_data_ptr<float>() + start,
                      slot.second.mutable_data_ptr<float>() + start, sums, num_rows * width, out_);
        if (addend.defined()) add_row(rows, addend.const_data_ptr<float>() + start, num_rows * row_values);
    });
    return output;
}

at::Tensor CausalConv::push_by_tensors(const FrameInput& input, StreamSlot& slot,
                                       const at::Tensor& addend) const {
    const at::Tensor sums = conv_.by_tensors(input);
    const auto third = [&](std::int64_t index) { return sums.narrow(2, index * out_, out_); };
    const bool is_first = !slot.first.defined();
    at::Tensor output = is_first ? third(2).clone() : slot.first.add_(third(2));
    slot.first = is_first ? third(1).clone() : slot.second.add_(third(1));
    slot.second = third(0).clone();
    return addend.defined() ? output.add_(addend) : output;
}

FrameConv take_frame_conv(ModuleBuilder& builder, const std::string& prefix, std::int64_t in,
                          std::int64_t out, ConvGeometry geometry, int weight_dims) {
    std::vector<std::int64_t> shape{out, in, geometry.kernel, geometry.kernel};
    shape.resize(static_cast<std::size_t>(weight_dims), 1);
    const at::Tensor weight = builder.take(prefix + "weight", shape);
    return FrameConv(weight.reshape({out, in, geometry.kernel, geometry.kernel}),
                     builder.take(prefix + "bias", {out}), geometry, builder.math());
}

} // namespace reelmesh
