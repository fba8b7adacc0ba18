// Between two levels of the VAE: half or double height and width, and, where `temporal` is set, half or
// double the frame rate. The first frame of a stream stays single. Immutable; what they remember is in the
// StreamState.
#pragma once

#include <functional>
#include <optional>

#include "vae/wan/causal_conv.h"

namespace reelmesh {

/// Takes the frames that an Upsampler makes of one, in order. half is 1 for a second half and for the first
/// frame of a doubled stream, which counts as one.
using HalfSink = std::function<void(at::Tensor frame, std::int64_t half)>;

class Upsampler {
public:
    Upsampler(ModuleBuilder& builder, const std::string& prefix, std::int64_t in, std::int64_t out,
              bool temporal);
    bool is_temporal() const { return time_conv_.has_value(); }
    void push(at::Tensor frame, StreamState& state, const HalfSink& emit) const;

private:
    at::Tensor enlarge(const at::Tensor& frame, StreamState& state) const;

    std::optional<CausalConv> time_conv_;
    FrameConv conv_;
    int slot_;
};

class Downsampler {
public:
    Downsampler(ModuleBuilder& builder, const std::string& prefix, std::int64_t channels, bool temporal);
    bool is_temporal() const { return time_conv_.has_value(); }
    /// Undefined where the frame is the first half of a pair.
    at::Tensor push(const at::Tensor& frame, StreamState& state) const;

private:
    FrameConv conv_;
    std::optional<FrameConv> time_conv_; ///< its input channels are those of three frames
    int slot_;
};

} // namespace reelmesh
