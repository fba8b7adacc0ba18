#include "text/base64.h"

#include <cstddef>
#include <cstdint>

namespace reelmesh {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kGroup = 4;

} // namespace

std::optional<std::string> decode_base64(std::string_view text) {
    if (text.size() % kGroup != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && text.ends_with('=')) {
        text.remove_suffix(1);
        ++padding;
    }
    std::string result;
    result.reserve(text.size() / kGroup * 3 + 2);
    std::uint32_t bits = 0;
    int num_bits = 0;
    for (const char c : text) {
        const std::size_t digit = kAlphabet.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        bits = (bits << 6) | static_cast<std::uint32_t>(digit);
        num_bits += 6;
        if (num_bits < 8) continue;
        num_bits -= 8;
        result.push_back(static_cast<char>(bits >> num_bits));
        bits &= (1U << num_bits) - 1;
    }
    if (bits != 0) return std::nullopt;
    return result;
}

} // namespace reelmesh
