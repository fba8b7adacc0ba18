// Element types and shapes of the safetensors format as plain values. Pure functions: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reelmesh {

/// Bits of one element; none for a type that the format does not know.
std::optional<std::uint64_t> dtype_bits(std::string_view dtype);

/// Bytes of a tensor; none if its bits do not fit 64 bits or make no whole bytes. A 0 in the shape makes it
/// 0.
std::optional<std::uint64_t> tensor_bytes(const std::vector<std::int64_t>& shape, std::uint64_t bits);

/// "[2, 3]"; very long shapes end in "...".
std::string shape_text(const std::vector<std::int64_t>& shape);

} // namespace reelmesh
