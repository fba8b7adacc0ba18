// Latent frames to video frames, one at a time and depth first: a frame climbs through all levels before the
// next one starts, so that no level ever holds more than one or two. Immutable; what it remembers is in the
// StreamState.
#pragma once

#include "request/model_card.h"
#include "vae/wan/blocks.h"
#include "vae/wan/resample.h"

namespace reelmesh {

/// One level's place in the pyramid.
struct DecoderLevelShape {
    std::int64_t in, out;  ///< channels, of the first residual block
    std::int64_t enlarged; ///< channels after the upsampler
    bool enlarges, temporal;
};
std::vector<DecoderLevelShape> decoder_levels(const WanVaeConfig& config);

class WanDecoder {
public:
    WanDecoder(ModuleBuilder& builder, const WanVaeConfig& config);

    using FrameSink = std::function<void(const at::Tensor& frame)>;
    /// latent [height, width, z]. Emits the video frames that became known, [height * 8, width * 8,
    /// out_channels].
    void push(const at::Tensor& latent, StreamState& state, const FrameSink& emit) const;

private:
    struct Level {
        std::vector<ResBlock> resnets;
        std::optional<Upsampler> upsampler;
    };
    void climb(std::size_t level, at::Tensor frame, StreamState& state, const FrameSink& emit) const;

    CausalConv conv_in_;
    MidBlock mid_block_;
    std::vector<Level> levels_;
    OutputHead head_;
    bool is_residual_;
};

} // namespace reelmesh
