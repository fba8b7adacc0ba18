#include "vae/wan/pixel_fold.h"

#include "base/check.h"

#include <ATen/ops/arange.h>

namespace reelmesh {

at::Tensor patchify(const at::Tensor& image, std::int64_t patch) {
    const std::int64_t channels = image.size(0), height = image.size(1) / patch,
                       width = image.size(2) / patch;
    return image.reshape({channels, height, patch, width, patch})
        .permute({1, 3, 0, 4, 2})
        .contiguous()
        .view({height, width, channels * patch * patch});
}

void unpatchify_into(at::Tensor image, const at::Tensor& frame, std::int64_t patch) {
    const std::int64_t channels = image.size(0), height = frame.size(0), width = frame.size(1);
    image.view({channels, height, patch, width, patch})
        .copy_(frame.view({height, width, channels, patch, patch}).permute({2, 0, 4, 1, 3}));
}

at::Tensor average_down(const at::Tensor& frames, std::int64_t out, std::int64_t fold) {
    const std::int64_t num_frames = frames.size(0), height = frames.size(1) / fold,
                       width = frames.size(2) / fold;
    REELMESH_CHECK(frames.size(3) * num_frames * fold * fold % out == 0);
    return frames.reshape({num_frames, height, fold, width, fold, frames.size(3)})
        .permute({1, 3, 5, 0, 2, 4})
        .reshape({height, width, out, -1})
        .mean(-1);
}

void add_duplicated(at::Tensor target, const at::Tensor& frame, std::int64_t fold, std::int64_t num_frames,
                    std::int64_t index) {
    const std::int64_t height = frame.size(0), width = frame.size(1), in = frame.size(2),
                       out = target.size(2);
    const std::int64_t repeats = out * num_frames * fold * fold / in;
    REELMESH_CHECK(repeats * in == out * num_frames * fold * fold);
    const at::Tensor pixels = target.view({height, fold, width, fold, out});
    for (std::int64_t row = 0; row < fold; ++row)
        for (std::int64_t column = 0; column < fold; ++column) {
            const std::int64_t first = (index * fold + row) * fold + column, step = num_frames * fold * fold;
            const at::Tensor source =
                at::arange(first, first + out * step, step, frame.options().dtype(at::kLong))
                    .div(repeats, "floor");
            pixels.select(3, column).select(1, row).add_(frame.index_select(2, source));
        }
}

} // namespace reelmesh
