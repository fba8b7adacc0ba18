#include "vae/wan/blocks.h"

#include "ops/attention.h"
#include "ops/fixed_tiles.h"

#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

#include <cmath>

namespace reelmesh {
namespace {

at::Tensor take_gamma(ModuleBuilder& builder, const std::string& name, std::int64_t channels, int dims) {
    std::vector<std::int64_t> shape{channels};
    shape.resize(static_cast<std::size_t>(dims), 1);
    return builder.take(name, shape).reshape({channels});
}

at::Tensor normalised_rows(const at::Tensor& frame, const at::Tensor& gamma) {
    const std::int64_t channels = frame.size(2), width = frame.size(1);
    const at::Tensor normed = at::empty(frame.sizes(), frame.options());
    ops::for_each_tile(frame.size(0), [&](std::int64_t row) {
        const std::int64_t first = row * width * channels;
        normalise_row(normed.mutable_data_ptr<float>() + first, frame.const_data_ptr<float>() + first,
                      channels, gamma.const_data_ptr<float>(), width, channels, Activation::None);
    });
    return normed;
}

} // namespace

ResBlock::ResBlock(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out)
    : gamma1_(take_gamma(builder, prefix + "norm1.gamma", in, 4)),
      gamma2_(take_gamma(builder, prefix + "norm2.gamma", out, 4)),
      conv1_(builder, prefix + "conv1.", in, out, kSame),
      conv2_(builder, prefix + "conv2.", out, out, kSame) {
    if (in != out) shortcut_ = take_frame_conv(builder, prefix + "conv_shortcut.", in, out, kPointwise, 5);
}

at::Tensor ResBlock::push(at::Tensor frame, StreamState& state) const {
    const at::Tensor inner = conv1_.push({frame, gamma1_, Activation::Silu}, state);
    if (shortcut_) frame = shortcut_->run({frame});
    return conv2_.push({inner, gamma2_, Activation::Silu}, state, frame);
}

FrameAttention::FrameAttention(ModuleBuilder& builder, const std::string& prefix, std::int64_t channels)
    : gamma_(take_gamma(builder, prefix + "norm.gamma", channels, 3)),
      to_qkv_(take_frame_conv(builder, prefix + "to_qkv.", channels, 3 * channels, kPointwise, 4)),
      proj_(take_frame_conv(builder, prefix + "proj.", channels, channels, kPointwise, 4)),
      to_q_(to_qkv_.channels(0, channels)), to_kv_(to_qkv_.channels(channels, 2 * channels)) {}

at::Tensor FrameAttention::run(const at::Tensor& frame, StreamState& state) const {
    if (state.band()) return run_band(frame, *state.band());
    const std::int64_t channels = frame.size(2);
    const at::Tensor qkv = to_qkv_.run({frame, gamma_}).view({1, -1, 3 * channels});
    const auto part = [&](std::int64_t index) { return qkv.narrow(2, index * channels, channels); };
    const double scale = 1 / std::sqrt(static_cast<double>(channels));
    const at::Tensor mixed = ops::attention(part(0), part(1), part(2), scale);
    return proj_.run({mixed.reshape(frame.sizes())}, frame);
}

at::Tensor FrameAttention::run_band(const at::Tensor& frame, HaloBand& band) const {
    const std::int64_t channels = frame.size(2);
    const at::Tensor normed = to_q_.math() == FrameMath::Tensors
                                  ? normalised(frame, gamma_, Activation::None)
                                  : normalised_rows(frame.contiguous(), gamma_);
    const at::Tensor queries = to_q_.run({normed}).view({1, -1, channels});
    const at::Tensor all = to_kv_.run({band.gather(normed)}).view({1, -1, 2 * channels});
    const double scale = 1 / std::sqrt(static_cast<double>(channels));
    const at::Tensor mixed =
        ops::attention(queries, all.narrow(2, 0, channels), all.narrow(2, channels, channels), scale);
    return proj_.run({mixed.reshape(frame.sizes())}, frame);
}

MidBlock::MidBlock(ModuleBuilder& builder, const std::string& prefix, std::int64_t channels)
    : before_(builder, prefix + "resnets.0.", channels, channels),
      attention_(builder, prefix + "attentions.0.", channels),
      after_(builder, prefix + "resnets.1.", channels, channels) {}

at::Tensor MidBlock::push(at::Tensor frame, StreamState& state) const {
    return after_.push(attention_.run(before_.push(std::move(frame), state), state), state);
}

OutputHead::OutputHead(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out)
    : gamma_(take_gamma(builder, prefix + "norm_out.gamma", in, 4)),
      conv_(builder, prefix + "conv_out.", in, out, kSame) {}

at::Tensor OutputHead::push(const at::Tensor& frame, StreamState& state) const {
    return conv_.push({frame, gamma_, Activation::Silu}, state);
}

} // namespace reelmesh
