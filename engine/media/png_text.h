// The text that a PNG file carries beside its pixels. Pure functions on whole files in memory.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace reelmesh {

struct PngFacts {
    std::uint32_t width = 0, height = 0;
    bool srgb = false;
    std::map<std::string, std::string> text; ///< keyword -> UTF-8 of uncompressed iTXt and tEXt chunks
};

/// Puts an sRGB chunk and one iTXt chunk an entry behind the header of a complete PNG file.
void add_png_text(std::vector<unsigned char>& png, const std::map<std::string, std::string>& text);

bool is_png(std::string_view start);
/// Throws NotAModel (no PNG), HeaderSyntax (chunks that leave the file).
PngFacts read_png_facts(const std::string& file, std::string_view png);

} // namespace reelmesh
