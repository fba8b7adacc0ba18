// Noise as a pure function of (seed, purpose, step, position): the same on any mesh, device and
// thread count. Philox4x32-10 with Box-Muller in float64, rounded to float32 once.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reelmesh {

enum class NoisePurpose : std::uint32_t { Initial = 0, Solver = 1 };

/// Standard normal values at flat positions first ... first+count-1 of the whole latent [C,T,H,W]. CPU,
/// float32.
at::Tensor noise_slice(std::uint64_t seed, NoisePurpose purpose, std::uint32_t step, std::uint64_t first,
                       std::int64_t count);
/// A whole latent of that shape.
at::Tensor noise(std::uint64_t seed, NoisePurpose purpose, std::uint32_t step,
                 const std::vector<std::int64_t>& shape);

} // namespace reelmesh
