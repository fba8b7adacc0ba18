// Stored elements as numbers of LibTorch's types: plain loops on the calling thread, since readers are many.
#pragma once

#include <c10/core/ScalarType.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace reelmesh {

/// LibTorch's type of a stored F32, BF16, F16 or F64; none for types that this build does not read as
/// numbers.
std::optional<at::ScalarType> readable_type(std::string_view dtype);

/// Between float32, float64, bfloat16 and float16, rounding to nearest as LibTorch does. Both sides aligned
/// to their elements.
void convert_elements(const void* from, at::ScalarType from_type, void* to, at::ScalarType to_type,
                      std::size_t count);

} // namespace reelmesh
