#include <unicode/uchar.h>
#include <unicode/utf8.h>

#include <algorithm>
#include <array>

#include "base/file_ops.h"

namespace reelmesh {
namespace {

constexpr std::string_view kIllegal = "/\\<>:\"|?*";
constexpr std::array<std::string_view, 6> kDevices = {"CON", "PRN", "AUX", "NUL", "COM", "LPT"};

/// Other systems take CON, con.mp4 or LPT1.tar.gz for a device.
bool is_device(std::string_view name) {
    std::string base(name.substr(0, name.find('.')));
    while (base.ends_with(' '))
        base.pop_back();
    for (char& c : base)
        c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    const bool numbered = base.size() == 4 && base[3] >= '0' && base[3] <= '9';
    const std::string_view stem = std::string_view(base).substr(0, 3);
    const auto* device = std::find(kDevices.begin(), kDevices.end(), stem);
    if (device == kDevices.end()) return false;
    return device - kDevices.begin() < 4 ? base.size() == 3 : numbered;
}

bool legal(UChar32 character) {
    if (character < 0) return false;
    if (character < 0x80 && kIllegal.find(static_cast<char>(character)) != std::string_view::npos)
        return false;
    switch (u_charType(character)) {
    case U_CONTROL_CHAR:
    case U_LINE_SEPARATOR:
    case U_PARAGRAPH_SEPARATOR: return false;
    default: return true;
    }
}

} // namespace

std::string safe_file_name(std::string_view text, std::size_t max_bytes) {
    std::string name;
    const auto length = static_cast<std::int64_t>(text.size());
    for (std::int64_t at = 0; at < length;) {
        const std::int64_t begin = at;
        UChar32 character = 0;
        U8_NEXT(text.data(), at, length, character);
        const std::string_view piece = legal(character) ? text.substr(static_cast<std::size_t>(begin),
                                                                      static_cast<std::size_t>(at - begin))
                                                        : std::string_view("_");
        if (name.empty() && (piece == "." || piece == " ")) continue;
        // One byte stays for the mark before a device name.
        if (name.size() + piece.size() + 1 > max_bytes) break;
        name += piece;
    }
    while (name.ends_with('.') || name.ends_with(' '))
        name.pop_back();
    if (name.empty()) return "clip";
    return is_device(name) ? "_" + name : name;
}

} // namespace reelmesh
