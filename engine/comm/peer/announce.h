// LibTorch is not built for the thread sanitizer, so what it reads and writes is told to the sanitizer here:
// an input that its owner touches while a peer still reads it becomes a report. Nothing in other builds.
#pragma once

#include <ATen/core/Tensor.h>

namespace reelmesh {

#if defined(__SANITIZE_THREAD__)
void announce_read(const at::Tensor& tensor);
void announce_write(const at::Tensor& tensor);
#else
inline void announce_read(const at::Tensor&) {}
inline void announce_write(const at::Tensor&) {}
#endif

} // namespace reelmesh
