// The sinusoidal code of diffusion times.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reelmesh::nn {

/// times [n] float32; returns [n, width] float32: cosines, then sines, of times * 10000^(-k / (width / 2)).
at::Tensor timestep_code(const at::Tensor& times, std::int64_t width);

} // namespace reelmesh::nn
