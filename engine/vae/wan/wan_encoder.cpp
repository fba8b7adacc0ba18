#include "vae/wan/wan_encoder.h"

#include "base/check.h"
#include "vae/wan/pixel_fold.h"

#include <ATen/ops/stack.h>
#include <ATen/ops/zeros_like.h>

namespace reelmesh {

WanEncoder::WanEncoder(ModuleBuilder& builder, const WanVaeConfig& config)
    : conv_in_(builder, "encoder.conv_in.", config.in_channels, config.base_dim, kSame),
      mid_block_(builder, "encoder.mid_block.", config.base_dim * config.dim_mult.back()),
      head_(builder, "encoder.", config.base_dim * config.dim_mult.back(), 2 * config.z_dim),
      is_residual_(config.is_residual) {
    REELMESH_CHECK(config.temporal_downsample.size() + 1 == config.dim_mult.size());
    // 2.1 counts residual blocks and downsamplers of all levels in one list, 2.2 has a block for each level.
    int flat_index = 0;
    std::int64_t in = config.base_dim;
    for (std::size_t i = 0; i < config.dim_mult.size(); ++i) {
        const std::string level_prefix = "encoder.down_blocks." + std::to_string(i) + ".";
        const auto prefix = [&](const std::string& name_in_level) {
            return is_residual_ ? level_prefix + name_in_level + "."
                                : "encoder.down_blocks." + std::to_string(flat_index++) + ".";
        };
        Level level{{}, {}, config.base_dim * config.dim_mult[i], builder.new_slot()};
        for (std::int64_t block = 0; block < config.num_res_blocks; ++block, in = level.out)
            level.resnets.emplace_back(builder, prefix("resnets." + std::to_string(block)), in, level.out);
        if (i < config.temporal_downsample.size())
            level.downsampler.emplace(builder, prefix("downsampler"), level.out,
                                      config.temporal_downsample[i]);
        levels_.push_back(std::move(level));
    }
}

at::Tensor WanEncoder::push(at::Tensor frame, StreamState& state) const {
    frame = conv_in_.push({frame}, state);
    for (const Level& level : levels_) {
        frame = descend(level, std::move(frame), state);
        if (!frame.defined()) return frame;
    }
    return head_.push(mid_block_.push(std::move(frame), state), state);
}

at::Tensor WanEncoder::descend(const Level& level, at::Tensor frame, StreamState& state) const {
    const at::Tensor input = is_residual_ ? frame : at::Tensor();
    for (const ResBlock& resnet : level.resnets)
        frame = resnet.push(std::move(frame), state);
    if (level.downsampler) frame = level.downsampler->push(frame, state);
    if (!is_residual_) return frame;
    const at::Tensor shortcut = averaged(level, input, state);
    // Not in place: the downsampler may remember its frame.
    return frame.defined() ? frame.add(shortcut) : frame;
}

at::Tensor WanEncoder::averaged(const Level& level, const at::Tensor& input, StreamState& state) const {
    if (!level.downsampler) return average_down(input.unsqueeze(0), level.out, 1);
    if (!level.downsampler->is_temporal()) return average_down(input.unsqueeze(0), level.out, 2);
    StreamSlot& slot = state.at(level.slot);
    if (slot.num_frames++ % 2 == 1) {
        slot.first = input;
        return {};
    }
    const at::Tensor before = slot.first.defined() ? slot.first : at::zeros_like(input);
    return average_down(at::stack({before, input}), level.out, 2);
}

} // namespace reelmesh
