// Video frames to latent frames, one at a time. Immutable; what it remembers is in the StreamState.
#pragma once

#include "request/model_card.h"
#include "vae/wan/blocks.h"
#include "vae/wan/resample.h"

namespace reelmesh {

class WanEncoder {
public:
    WanEncoder(ModuleBuilder& builder, const WanVaeConfig& config);
    /// frame [height, width, in_channels]. Returns [height / 8, width / 8, 2 z] for the first frame and for
    /// the last of every four that follow, else an undefined tensor.
    at::Tensor push(at::Tensor frame, StreamState& state) const;

private:
    struct Level {
        std::vector<ResBlock> resnets;
        std::optional<Downsampler> downsampler;
        std::int64_t out;
        int slot; ///< the input frame before, where frames are averaged in pairs
    };
    at::Tensor descend(const Level& level, at::Tensor frame, StreamState& state) const;
    at::Tensor averaged(const Level& level, const at::Tensor& input, StreamState& state) const;

    CausalConv conv_in_;
    std::vector<Level> levels_;
    MidBlock mid_block_;
    OutputHead head_;
    bool is_residual_;
};

} // namespace reelmesh
