// How a whole is divided over ranks: the one rule that every rank follows, so that sizes are never exchanged.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

namespace reelmesh {

/// whole / parts each, the first whole mod parts one more.
std::vector<std::int64_t> split(std::int64_t whole, int parts);
/// In proportion to the weights (> 0): largest remainder, ties to the lower index; sums to whole. While there
/// is enough for all, no part is empty.
std::vector<std::int64_t> split(std::int64_t whole, const std::vector<double>& weights);

} // namespace reelmesh
