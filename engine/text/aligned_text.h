// Text on its way through the normaliser that remembers where each byte came from. Plain value.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace reelmesh {

struct AlignedText {
    std::string text;
    std::vector<std::uint32_t> ends; ///< per byte: offset in the input behind what it was made from
    std::uint32_t begin = 0;         ///< offset in the input of the whole

    void append(std::string_view bytes, std::uint32_t end) {
        text += bytes;
        ends.insert(ends.end(), bytes.size(), end);
    }
    /// Offset in the input of what stands at this byte.
    std::uint32_t source_of(std::size_t byte) const { return byte == 0 ? begin : ends[byte - 1]; }
};

} // namespace reelmesh
