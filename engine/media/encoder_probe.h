// Which encoders really open here: each is given one frame. Any thread; the result is computed once.
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"

namespace reelmesh {

/// H.264 first choice to last: libx264, h264_nvenc, mpeg4; only the first that opens is used.
const std::vector<EncoderSummary>& probe_encoders();

} // namespace reelmesh
