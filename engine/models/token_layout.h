// Latents as tokens and back: a pure rearrangement, so that latents stay split over ranks.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

namespace reelmesh {

/// [C,T,H,W] to [tokens, C*pt*ph*pw]; tokens in order frame, row, column; features channel first. Contiguous.
at::Tensor to_tokens(const at::Tensor& latents, const std::array<std::int64_t, 3>& patch);
/// The inverse; shape is [C,T,H,W].
at::Tensor from_tokens(const at::Tensor& tokens, const std::vector<std::int64_t>& shape,
                       const std::array<std::int64_t, 3>& patch);

} // namespace reelmesh
