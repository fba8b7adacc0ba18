// The blocks that keep a frame's size: residual block, attention within a frame, and the middle of encoder
// and decoder. Immutable; what they remember is in the StreamState. Frames are [height, width, channels].
#pragma once

#include <optional>

#include "vae/wan/causal_conv.h"

namespace reelmesh {

class ResBlock {
public:
    ResBlock(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out);
    at::Tensor push(at::Tensor frame, StreamState& state) const;

private:
    at::Tensor gamma1_, gamma2_;
    CausalConv conv1_, conv2_;
    std::optional<FrameConv> shortcut_; ///< where the number of channels changes
};

/// One head over all pixels of a frame.
class FrameAttention {
public:
    FrameAttention(ModuleBuilder& builder, const std::string& prefix, std::int64_t channels);
    at::Tensor run(const at::Tensor& frame, StreamState& state) const;

private:
    at::Tensor run_band(const at::Tensor& frame, HaloBand& band) const;

    at::Tensor gamma_;
    FrameConv to_qkv_, proj_;
    FrameConv to_q_,
        to_kv_; ///< parts of to_qkv_: of a band queries are its own, keys and values the whole frame's
};

class MidBlock {
public:
    MidBlock(ModuleBuilder& builder, const std::string& prefix, std::int64_t channels);
    at::Tensor push(at::Tensor frame, StreamState& state) const;

private:
    ResBlock before_;
    FrameAttention attention_;
    ResBlock after_;
};

/// Normalisation, SiLU and the last convolution of encoder and decoder.
class OutputHead {
public:
    OutputHead(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out);
    at::Tensor push(const at::Tensor& frame, StreamState& state) const;

private:
    at::Tensor gamma_;
    CausalConv conv_;
};

} // namespace reelmesh
