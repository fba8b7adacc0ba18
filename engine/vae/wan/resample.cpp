#include "vae/wan/resample.h"

#include <ATen/ops/cat.h>

namespace reelmesh {

Upsampler::Upsampler(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out,
                     bool temporal)
    : conv_(take_frame_conv(builder, prefix + "resample.1.", in, out, kSame, 4)), slot_(builder.new_slot()) {
    if (temporal) time_conv_.emplace(builder, prefix + "time_conv.", in, 2 * in, kPointwise);
}

void Upsampler::push(at::Tensor frame, StreamState& state, const HalfSink& emit) const {
    if (!time_conv_ || state.at(slot_).num_frames++ == 0) {
        at::Tensor enlarged = enlarge(frame, state);
        frame.reset(); // before the levels above take their memory
        return emit(std::move(enlarged), time_conv_ ? 1 : 0);
    }
    const std::int64_t channels = frame.size(2);
    // The first frame never enters the history, the second sees zeros.
    frame = time_conv_->push({frame}, state);
    for (const std::int64_t half : {0, 1})
        emit(enlarge(frame.narrow(2, half * channels, channels), state), half);
}

at::Tensor Upsampler::enlarge(const at::Tensor& frame, StreamState& state) const {
    FrameInput input{.frame = frame, .enlarge = 2};
    add_border(input, state.band());
    return conv_.run(input);
}

Downsampler::Downsampler(ModuleBuilder& builder, const std::string& prefix, std::int64_t channels,
                         bool temporal)
    : conv_(take_frame_conv(builder, prefix + "resample.1.", channels, channels, kHalving, 4)),
      slot_(builder.new_slot()) {
    if (!temporal) return;
    const at::Tensor weight = builder.take(prefix + "time_conv.weight", {channels, channels, 3, 1, 1});
    time_conv_.emplace(weight.permute({0, 2, 1, 3, 4}).reshape({channels, 3 * channels, 1, 1}),
                       builder.take(prefix + "time_conv.bias", {channels}), kPointwise, builder.math());
}

at::Tensor Downsampler::push(const at::Tensor& frame, StreamState& state) const {
    FrameInput input{frame};
    if (state.band()) input.border.below = state.band()->exchange_below(frame.select(0, 0).contiguous());
    const at::Tensor half = conv_.run(input);
    if (!time_conv_) return half;
    StreamSlot& slot = state.at(slot_);
    const std::int64_t number = slot.num_frames++;
    if (number % 2 == 1) {
        slot.second = half;
        return {};
    }
    const at::Tensor before = std::exchange(slot.first, half);
    if (number == 0) return half;
    return time_conv_->run({at::cat({before, slot.second, half}, 2)});
}

} // namespace reelmesh
