// Memory for frames. Large ones have pages of their own, which go back to the system when the tensor ends:
// what a decode takes can then be told beforehand, where a heap would keep holes between frames of many
// sizes. Any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reelmesh {

/// float32 on the CPU, values undefined.
at::Tensor empty_paged(at::IntArrayRef sizes);

} // namespace reelmesh
