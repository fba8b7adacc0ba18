// Finished files back into frames, to look at. Movies, PNG pictures and folders of them; 8 bits a channel,
// whatever the file has. Reads files of anyone, within the limits of movie_check. Any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/engine.h"

namespace reelmesh {

/// Sides are halved as often as it takes to keep all frames within max_bytes; fps 0/1 where the file has
/// none. Throws FileMissing, FileUnreadable, NotAModel (no media), LimitExceeded, Canceled.
MediaClip load_clip(const std::string& path, std::uint64_t max_bytes,
                    const std::function<bool()>& should_stop);

} // namespace reelmesh
