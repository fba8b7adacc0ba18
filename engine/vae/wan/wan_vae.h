// AutoencoderKLWan, the 2.1 form and the residual form of 2.2. Equations and streaming rules:
// docs/wan-vae.md. Immutable after loading; any thread may decode and encode, each stream with a state of its
// own.
#pragma once

#include "vae/video_vae.h"
#include "vae/wan/wan_decoder.h"
#include "vae/wan/wan_encoder.h"

namespace reelmesh {

class WanVae final : public VideoVae {
public:
    WanVae(ModuleBuilder& builder, const WanVaeConfig& config);

    std::unique_ptr<VaeDecodeRun> start_decode(HaloBand* band) const override;
    at::Tensor encode(const at::Tensor& video, HaloBand* band) const override;
    at::Tensor denormalise(const at::Tensor& latents) const override;
    at::Tensor normalise(const at::Tensor& latents) const override;

private:
    class DecodeRun;

    c10::Device device() const { return post_quant_conv_.device(); }

    WanVaeConfig config_;
    std::int64_t frame_factor_, pixel_factor_; ///< video frames and pixels per latent one
    at::Tensor mean_, inverse_std_;            ///< [z]
    WanEncoder encoder_;
    FrameConv quant_conv_, post_quant_conv_;
    WanDecoder decoder_;
    int num_slots_;
};

} // namespace reelmesh
