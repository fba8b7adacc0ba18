// Moves between pixels, frames and channels without weights. Frames are [height, width, channels]. Any
// thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reelmesh {

/// image [channels, height, width] to a frame of height / patch x width / patch pixels. New channels are in
/// the order channel, column offset, row offset.
at::Tensor patchify(const at::Tensor& image, std::int64_t patch);
/// The inverse, written into image.
void unpatchify_into(at::Tensor image, const at::Tensor& frame, std::int64_t patch);

/// Means over groups of neighbouring values in the order channel, frame, row offset, column offset:
/// frames [num_frames, height, width, in] to [height / fold, width / fold, out].
at::Tensor average_down(const at::Tensor& frames, std::int64_t out, std::int64_t fold);

/// Its counterpart, added to target [height * fold, width * fold, out], which is frame number `index` of
/// num_frames that one input frame becomes: every value is repeated as often as fills the target.
void add_duplicated(at::Tensor target, const at::Tensor& frame, std::int64_t fold, std::int64_t num_frames,
                    std::int64_t index);

} // namespace reelmesh
