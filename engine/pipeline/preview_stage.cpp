#include "pipeline/preview_stage.h"

#include <ATen/ATen.h>

namespace reelmesh {
namespace {

constexpr double kGreyContrast = 0.25;

at::Tensor grey(const at::Tensor& latents) {
    return (latents.mean(0, /*keepdim=*/true) * kGreyContrast).expand({3, -1, -1, -1});
}

at::Tensor mapped(const at::Tensor& latents, const PreviewFactors& factors) {
    const at::Tensor pixels = at::addmm(factors.bias, latents.flatten(1).t(), factors.matrix);
    return pixels.t().reshape({3, latents.size(1), latents.size(2), latents.size(3)});
}

/// [3,t,h,w] in -1 ... 1 to [t,h,w,3] in 0 ... 255, not yet rounded.
at::Tensor to_byte_range(const at::Tensor& video) {
    return video.permute({1, 2, 3, 0}).mul(0.5).add_(0.5).clamp_(0, 1).mul_(255);
}

} // namespace

std::vector<Frame> to_frames_u8(const at::Tensor& pixels) {
    const at::Tensor whole = pixels.contiguous();
    const auto height = static_cast<int>(whole.size(1)), width = static_cast<int>(whole.size(2));
    const std::size_t stride = static_cast<std::size_t>(width) * 3;
    std::vector<Frame> frames;
    for (std::int64_t t = 0; t < whole.size(0); ++t) {
        const auto* first = reinterpret_cast<const std::byte*>(whole[t].data_ptr<std::uint8_t>());
        const auto bytes = std::make_shared<std::byte[]>(stride * static_cast<std::size_t>(height));
        std::copy_n(first, stride * static_cast<std::size_t>(height), bytes.get());
        frames.push_back({width, height, PixelFormat::Rgb8, stride, bytes});
    }
    return frames;
}

std::vector<Frame> to_frames(const at::Tensor& video) {
    return to_frames_u8(to_byte_range(video).round_().to(at::kByte));
}

PreviewClip make_preview(const at::Tensor& latents, const std::optional<PreviewFactors>& factors, int step,
                         double frames_per_second) {
    const at::Tensor video = factors ? mapped(latents, *factors) : grey(latents);
    // Previews are truncated, as the map's fit expects.
    return {step, frames_per_second, to_frames_u8(to_byte_range(video).to(at::kByte))};
}

} // namespace reelmesh
