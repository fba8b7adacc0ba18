#include "models/token_layout.h"

#include "base/check.h"

namespace reelmesh {

at::Tensor to_tokens(const at::Tensor& latents, const std::array<std::int64_t, 3>& patch) {
    REELMESH_CHECK(latents.dim() == 4);
    const auto [pt, ph, pw] = patch;
    const std::int64_t channels = latents.size(0);
    const std::int64_t frames = latents.size(1) / pt, rows = latents.size(2) / ph,
                       columns = latents.size(3) / pw;
    return latents.reshape({channels, frames, pt, rows, ph, columns, pw})
        .permute({1, 3, 5, 0, 2, 4, 6})
        .reshape({frames * rows * columns, channels * pt * ph * pw})
        .contiguous();
}

at::Tensor from_tokens(const at::Tensor& tokens, const std::vector<std::int64_t>& shape,
                       const std::array<std::int64_t, 3>& patch) {
    REELMESH_CHECK(shape.size() == 4 && tokens.dim() == 2);
    const auto [pt, ph, pw] = patch;
    return tokens.reshape({shape[1] / pt, shape[2] / ph, shape[3] / pw, shape[0], pt, ph, pw})
        .permute({3, 0, 4, 1, 5, 2, 6})
        .reshape(shape)
        .contiguous();
}

} // namespace reelmesh
