#include "vae/wan/wan_decoder.h"

#include "base/check.h"
#include "vae/wan/pixel_fold.h"

namespace reelmesh {

std::vector<DecoderLevelShape> decoder_levels(const WanVaeConfig& config) {
    const std::size_t num_levels = config.dim_mult.size();
    REELMESH_CHECK(num_levels > 0 && config.temporal_downsample.size() + 1 == num_levels);
    std::vector<DecoderLevelShape> levels;
    std::int64_t in = config.decoder_base_dim * config.dim_mult.back();
    for (std::size_t i = 0; i < num_levels; ++i) {
        const bool enlarges = i + 1 < num_levels;
        const std::int64_t out = config.decoder_base_dim * config.dim_mult[num_levels - 1 - i];
        const std::int64_t enlarged = !enlarges || config.is_residual ? out : out / 2;
        const bool temporal = enlarges && config.temporal_downsample[num_levels - 2 - i];
        levels.push_back({in, out, enlarged, enlarges, temporal});
        in = enlarged;
    }
    return levels;
}

WanDecoder::WanDecoder(ModuleBuilder& builder, const WanVaeConfig& config)
    : conv_in_(builder, "decoder.conv_in.", config.z_dim, decoder_levels(config).front().in, kSame),
      mid_block_(builder, "decoder.mid_block.", decoder_levels(config).front().in),
      head_(builder, "decoder.", decoder_levels(config).back().out, config.out_channels),
      is_residual_(config.is_residual) {
    for (const DecoderLevelShape& shape : decoder_levels(config)) {
        const std::string prefix = "decoder.up_blocks." + std::to_string(levels_.size()) + ".";
        Level& level = levels_.emplace_back();
        for (std::int64_t i = 0; i <= config.num_res_blocks; ++i)
            level.resnets.emplace_back(builder, prefix + "resnets." + std::to_string(i) + ".",
                                       i == 0 ? shape.in : shape.out, shape.out);
        if (shape.enlarges)
            level.upsampler.emplace(builder, prefix + (is_residual_ ? "upsampler." : "upsamplers.0."),
                                    shape.out, shape.enlarged, shape.temporal);
    }
}

void WanDecoder::push(const at::Tensor& latent, StreamState& state, const FrameSink& emit) const {
    climb(0, mid_block_.push(conv_in_.push({latent}, state), state), state, emit);
}

void WanDecoder::climb(std::size_t index, at::Tensor frame, StreamState& state, const FrameSink& emit) const {
    if (index == levels_.size()) return emit(head_.push(frame, state));
    const Level& level = levels_[index];
    const bool adds_input = is_residual_ && level.upsampler;
    const at::Tensor input = adds_input ? frame : at::Tensor();
    for (const ResBlock& resnet : level.resnets)
        frame = resnet.push(std::move(frame), state);
    if (!level.upsampler) return climb(index + 1, std::move(frame), state, emit);
    level.upsampler->push(std::move(frame), state, [&](at::Tensor enlarged, std::int64_t half) {
        if (adds_input) add_duplicated(enlarged, input, 2, level.upsampler->is_temporal() ? 2 : 1, half);
        climb(index + 1, std::move(enlarged), state, emit);
    });
}

} // namespace reelmesh
