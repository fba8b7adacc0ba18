#include "base/excerpt.h"

#include <algorithm>
#include <cstddef>

namespace reelmesh {
namespace {

constexpr std::size_t kMaxBytes = 120;

} // namespace

std::string excerpt(std::string_view text) {
    std::size_t size = text.size();
    if (size > kMaxBytes) {
        size = kMaxBytes;
        while (size > 0 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80)
            --size;
    }
    std::string shown(text.substr(0, size));
    const auto is_control = [](unsigned char byte) { return byte < 0x20 || byte == 0x7F; };
    std::replace_if(shown.begin(), shown.end(), is_control, '?');
    if (size < text.size()) shown += "...";
    return shown;
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

} // namespace reelmesh
