// Bounds of tokenizer files, both formats.
#pragma once

#include <cstddef>
#include <cstdint>

namespace reelmesh {

constexpr std::uint64_t kMaxTokenizerBytes = 64ULL << 20;
constexpr std::uint64_t kMaxPieces = 1'000'000;
// Segmenting takes time in proportion to the longest piece; vocabularies in use stay below a tenth of this.
constexpr std::size_t kMaxPieceBytes = 1024;

} // namespace reelmesh
