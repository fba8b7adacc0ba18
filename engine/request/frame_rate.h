// What counts as a frame rate; reading and writing them is in <engine/request.h>. Pure.
#pragma once

#include "engine/request.h"

namespace reelmesh {

/// 1 to 240, with parts that movie files can hold.
bool is_legal(const FrameRate& rate);

} // namespace reelmesh
