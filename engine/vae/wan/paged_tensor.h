// Memory for frames. Large ones have pages of their own, which go back to the system when the tensor ends:
// what a decode takes can then be told beforehand, where a heap would keep holes between frames of many
// sizes. Any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reelmesh {

/// float32, values undefined. On other devices than a CPU their own allocator knows better.
at::Tensor empty_paged(at::IntArrayRef sizes, c10::Device device = at::kCPU);

} // namespace reelmesh
