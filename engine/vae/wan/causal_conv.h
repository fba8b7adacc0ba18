// A convolution over the frame at hand and the two before it, frame by frame. Instead of the frames before,
// it keeps what they add to the frames to come, so no input is held or copied. Frames before the first count
// as zeros. Immutable; what it remembers is in the StreamState.
#pragma once

#include "vae/wan/frame_conv.h"
#include "vae/wan/module_builder.h"
#include "vae/wan/stream_state.h"

namespace reelmesh {

class CausalConv {
public:
    /// prefix + "weight" [out, in, 3, kernel, kernel] and prefix + "bias"; spatial kernel of 3 or 1.
    CausalConv(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out,
               ConvGeometry geometry);

    /// The next frame of the stream; plus addend if that is defined.
    at::Tensor push(FrameInput input, StreamState& state, const at::Tensor& addend = {}) const;

private:
    at::Tensor push_by_tensors(const FrameInput& input, StreamSlot& slot, const at::Tensor& addend) const;

    bool looks_around_; ///< at other rows
    std::int64_t out_;
    FrameConv conv_; ///< a third of its channels for each frame that this one adds to: two ahead, next, own
    int slot_;
};

/// A convolution of single frames with a kernel of [out, in, 1, 1, 1], [out, in, 1, 1] or [out, in, k, k].
FrameConv take_frame_conv(ModuleBuilder& builder, const std::string& prefix, std::int64_t in,
                          std::int64_t out, ConvGeometry geometry, int weight_dims);

} // namespace reelmesh
