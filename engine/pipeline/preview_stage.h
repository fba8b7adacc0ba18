// From latents to small pictures: one pixel a latent pixel, one frame a latent frame, by a linear
// map fitted to the latent space. A space that nobody fitted is shown in grey.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/frame.h"
#include "request/model_card.h"

namespace reelmesh {

/// Rows c of [Z,3] and a bias [3]; rgb = latent * matrix + bias in -1 ... 1.
struct PreviewFactors {
    at::Tensor matrix, bias;
};

/// Known by the VAE's latent statistics. Nothing: unknown latent space.
std::optional<PreviewFactors> preview_factors(const WanVaeConfig& vae);

/// A preview in the making: ranks paint the pixels of their own tokens side by side, nothing is gathered.
class PreviewCanvas {
public:
    /// shape [Z,T,H,W] of the latents; without factors grey.
    PreviewCanvas(const std::vector<std::int64_t>& shape, const std::array<std::int64_t, 3>& patch,
                  const std::optional<PreviewFactors>& factors);
    /// tokens [n, Z * patch] float32, channel first, in order from first_token on; any thread, each with
    /// tokens of its own.
    void paint(const at::Tensor& tokens, std::int64_t first_token);
    /// The clip, once all tokens are painted; the canvas is used up.
    PreviewClip finish(int step, double frames_per_second);

private:
    std::vector<std::int64_t> shape_;
    std::array<std::int64_t, 3> patch_;
    std::optional<PreviewFactors> factors_;
    std::vector<std::shared_ptr<std::byte[]>> frames_;
};

/// latents [Z,T,H,W] float32, model space, best the clean estimate. Without factors: the mean of the channels
/// in grey.
PreviewClip make_preview(const at::Tensor& latents, const std::optional<PreviewFactors>& factors, int step,
                         double frames_per_second);

/// [3,t,h,w] float32 in -1 ... 1 to pictures; rounds half to even.
std::vector<Frame> to_frames(const at::Tensor& video);
/// [t,h,w,3] uint8, contiguous, to pictures.
std::vector<Frame> to_frames_u8(const at::Tensor& pixels);

} // namespace reelmesh
