#include "vae/wan/wan_vae.h"

#include "base/check.h"
#include "vae/wan/paged_tensor.h"
#include "vae/wan/pixel_fold.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

namespace reelmesh {
namespace {

at::Tensor channel_values(const std::vector<double>& values, std::int64_t channels) {
    REELMESH_CHECK(static_cast<std::int64_t>(values.size()) == channels);
    return at::tensor(values, at::kDouble).to(at::kFloat);
}

/// [z] beside latents [z, ...].
at::Tensor along_first(const at::Tensor& values, const at::Tensor& latents) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(latents.dim()), 1);
    shape.front() = values.size(0);
    return values.view(shape);
}

void check_input(const at::Tensor& tensor, std::int64_t channels, c10::Device device) {
    REELMESH_CHECK(tensor.dim() == 4 && tensor.size(0) == channels && tensor.size(1) > 0);
    REELMESH_CHECK(tensor.scalar_type() == at::kFloat && tensor.device() == device);
}

} // namespace

class WanVae::DecodeRun final : public VaeDecodeRun {
public:
    DecodeRun(const WanVae& vae, HaloBand* band) : vae_(vae), state_(vae.num_slots_, band) {}

    at::Tensor decode(const at::Tensor& latents) override {
        check_input(latents, vae_.config_.z_dim, vae_.device());
        const std::int64_t patch = vae_.config_.patch_size, factor = vae_.frame_factor_;
        const std::int64_t num_frames = latents.size(1) * factor - (is_first_ ? factor - 1 : 0);
        is_first_ = false;
        at::Tensor video =
            empty_paged({vae_.config_.out_channels / (patch * patch), num_frames,
                         latents.size(2) * vae_.pixel_factor_, latents.size(3) * vae_.pixel_factor_},
                        vae_.device());
        std::int64_t done = 0;
        for (const at::Tensor& latent : latents.unbind(1))
            vae_.decoder_.push(
                vae_.post_quant_conv_.run({latent.permute({1, 2, 0}).contiguous()}), state_,
                [&](const at::Tensor& frame) { unpatchify_into(video.select(1, done++), frame, patch); });
        REELMESH_CHECK(done == num_frames);
        return video.clamp_(-1, 1);
    }

private:
    const WanVae& vae_;
    StreamState state_;
    bool is_first_ = true;
};

WanVae::WanVae(ModuleBuilder& builder, const WanVaeConfig& config)
    : config_(config), frame_factor_(std::int64_t{1} << std::ranges::count(config.temporal_downsample, true)),
      pixel_factor_(config.patch_size << config.temporal_downsample.size()),
      mean_(channel_values(config.latents_mean, config.z_dim)),
      inverse_std_(channel_values(config.latents_std, config.z_dim).reciprocal()), encoder_(builder, config),
      quant_conv_(take_frame_conv(builder, "quant_conv.", 2 * config.z_dim, 2 * config.z_dim, kPointwise, 5)),
      post_quant_conv_(
          take_frame_conv(builder, "post_quant_conv.", config.z_dim, config.z_dim, kPointwise, 5)),
      decoder_(builder, config), num_slots_(builder.num_slots()) {
    mean_ = mean_.to(device());
    inverse_std_ = inverse_std_.to(device());
}

std::unique_ptr<VaeDecodeRun> WanVae::start_decode(HaloBand* band) const {
    return std::make_unique<DecodeRun>(*this, band);
}

at::Tensor WanVae::encode(const at::Tensor& video, HaloBand* band) const {
    const std::int64_t patch = config_.patch_size;
    check_input(video, config_.in_channels / (patch * patch), device());
    REELMESH_CHECK(video.size(2) % pixel_factor_ == 0 && video.size(3) % pixel_factor_ == 0);
    const std::int64_t num_latents = 1 + (video.size(1) - 1) / frame_factor_;
    at::Tensor moments = at::empty(
        {2 * config_.z_dim, num_latents, video.size(2) / pixel_factor_, video.size(3) / pixel_factor_},
        video.options());
    StreamState state(num_slots_, band);
    std::int64_t done = 0;
    for (std::int64_t i = 0; i <= (num_latents - 1) * frame_factor_; ++i) {
        const at::Tensor latent = encoder_.push(patchify(video.select(1, i), patch), state);
        if (latent.defined()) moments.select(1, done++).copy_(quant_conv_.run({latent}).permute({2, 0, 1}));
    }
    REELMESH_CHECK(done == num_latents);
    return moments;
}

at::Tensor WanVae::denormalise(const at::Tensor& latents) const {
    return latents.div(along_first(inverse_std_, latents)).add(along_first(mean_, latents));
}

at::Tensor WanVae::normalise(const at::Tensor& latents) const {
    return latents.sub(along_first(mean_, latents)).mul(along_first(inverse_std_, latents));
}

} // namespace reelmesh
