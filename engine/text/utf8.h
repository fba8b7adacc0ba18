// Characters of UTF-8 text, on ICU's macros. Pure.
#pragma once

#include <unicode/utf8.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace reelmesh {

/// The character at position, which moves behind it; U+FFFD for an ill-formed sequence.
inline char32_t next_character(std::string_view text, std::size_t& position) {
    UChar32 character = 0;
    U8_NEXT_OR_FFFD(text.data(), position, text.size(), character);
    return static_cast<char32_t>(character);
}

inline void append_character(std::string& text, char32_t character) {
    char bytes[U8_MAX_LENGTH];
    std::int32_t size = 0;
    U8_APPEND_UNSAFE(bytes, size, character);
    text.append(bytes, static_cast<std::size_t>(size));
}

inline bool is_utf8(std::string_view text) {
    for (std::size_t position = 0; position < text.size();) {
        UChar32 character = 0;
        U8_NEXT(text.data(), position, text.size(), character);
        if (character < 0) return false;
    }
    return true;
}

} // namespace reelmesh
