#include "pipeline/preview_stage.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace reelmesh {
namespace {

constexpr double kGreyContrast = 0.25;

/// latents [pixels, Z] to [pixels, 3] in -1 ... 1.
at::Tensor mapped(const at::Tensor& latents, const std::optional<PreviewFactors>& factors) {
    if (!factors) return (latents.mean(1, /*keepdim=*/true) * kGreyContrast).expand({-1, 3});
    return at::addmm(factors->bias, latents, factors->matrix);
}

/// -1 ... 1 to 0 ... 255, not yet rounded.
at::Tensor to_byte_range(const at::Tensor& values) {
    return values.mul(0.5).add_(0.5).clamp_(0, 1).mul_(255);
}

} // namespace

std::vector<Frame> to_frames_u8(const at::Tensor& pixels) {
    const at::Tensor whole = pixels.cpu().contiguous();
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
    return to_frames_u8(to_byte_range(video.permute({1, 2, 3, 0})).round_().to(at::kByte));
}

PreviewCanvas::PreviewCanvas(const std::vector<std::int64_t>& shape, const std::array<std::int64_t, 3>& patch,
                             const std::optional<PreviewFactors>& factors)
    : shape_(shape), patch_(patch), factors_(factors) {
    const auto frame_bytes = static_cast<std::size_t>(shape[2] * shape[3] * 3);
    for (std::int64_t t = 0; t < shape[1]; ++t)
        frames_.push_back(std::make_shared<std::byte[]>(frame_bytes));
}

void PreviewCanvas::paint(const at::Tensor& tokens, std::int64_t first_token) {
    const auto [pt, ph, pw] = patch_;
    const std::int64_t count = tokens.size(0), pixels = pt * ph * pw;
    // Small, and the map is on the host.
    const at::Tensor latents =
        tokens.cpu().view({count, shape_[0], pixels}).transpose(1, 2).reshape({-1, shape_[0]});
    // Previews are truncated, as the map's fit expects.
    const at::Tensor bytes = to_byte_range(mapped(latents, factors_)).to(at::kByte).contiguous();
    const auto* source = reinterpret_cast<const std::byte*>(bytes.const_data_ptr<std::uint8_t>());
    const std::int64_t columns = shape_[3] / pw, rows = shape_[2] / ph;
    for (std::int64_t token = first_token; token < first_token + count; ++token) {
        const std::int64_t x = token % columns * pw, y = token / columns % rows * ph,
                           t = token / columns / rows * pt;
        for (std::int64_t dt = 0; dt < pt; ++dt)
            for (std::int64_t dy = 0; dy < ph; ++dy, source += pw * 3)
                std::copy_n(source, pw * 3,
                            frames_[static_cast<std::size_t>(t + dt)].get() + ((y + dy) * shape_[3] + x) * 3);
    }
}

PreviewClip PreviewCanvas::finish(int step, double frames_per_second) {
    PreviewClip clip{step, frames_per_second, {}};
    const auto height = static_cast<int>(shape_[2]), width = static_cast<int>(shape_[3]);
    for (auto& bytes : frames_)
        clip.frames.push_back(
            {width, height, PixelFormat::Rgb8, static_cast<std::size_t>(width) * 3, std::move(bytes)});
    return clip;
}

PreviewClip make_preview(const at::Tensor& latents, const std::optional<PreviewFactors>& factors, int step,
                         double frames_per_second) {
    PreviewCanvas canvas(latents.sizes().vec(), {1, 1, 1}, factors);
    canvas.paint(latents.flatten(1).t().contiguous(), 0);
    return canvas.finish(step, frames_per_second);
}

} // namespace reelmesh
