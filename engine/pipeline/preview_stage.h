// From latents to small pictures: one pixel a latent pixel, one frame a latent frame, by a linear
// map fitted to the latent space. A space that nobody fitted is shown in grey.
#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <string>

#include "engine/frame.h"
#include "request/model_card.h"

namespace reelmesh {

/// Rows c of [Z,3] and a bias [3]; rgb = latent * matrix + bias in -1 ... 1.
struct PreviewFactors {
    at::Tensor matrix, bias;
};

/// Known by the VAE's latent statistics. Nothing: unknown latent space.
std::optional<PreviewFactors> preview_factors(const WanVaeConfig& vae);

/// latents [Z,T,H,W] float32, model space, best the clean estimate. Without factors: the mean of the channels
/// in grey.
PreviewClip make_preview(const at::Tensor& latents, const std::optional<PreviewFactors>& factors, int step,
                         double frames_per_second);

/// [3,t,h,w] float32 in -1 ... 1 to pictures; rounds half to even.
std::vector<Frame> to_frames(const at::Tensor& video);
/// [t,h,w,3] uint8, contiguous, to pictures.
std::vector<Frame> to_frames_u8(const at::Tensor& pixels);

} // namespace reelmesh
