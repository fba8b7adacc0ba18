// Numbers from text and back, the same in every locale: a point is the decimal mark. Pure.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace reelmesh {

/// The whole text as a number, nothing before or behind it.
template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stop, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc() || stop != end) return std::nullopt;
    return value;
}

/// The same for fractions; not a number and infinity are none.
inline std::optional<double> parse_finite(std::string_view text) {
    const std::optional<double> value = parse_whole<double>(text);
    return value && std::isfinite(*value) ? value : std::nullopt;
}

/// The shortest text that reads back as the same number.
inline std::string decimal_text(double value) {
    std::array<char, 32> buffer{};
    return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

} // namespace reelmesh
