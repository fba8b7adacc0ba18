#include "text/html_entities.h"

#include "text/utf8.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

namespace reelmesh {
namespace {

struct Entity {
    std::string_view name; // behind the "&", with the semicolon if it needs one
    std::string_view text;
};
struct NumericEntity {
    char32_t code_point;
    std::string_view text;
};

#include "text/html_entities.inc"

constexpr int kMaxNameCharacters = 32;
constexpr std::size_t kMaxStrictCharacters = 24;
constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";
constexpr char32_t kMaxCodePoint = 0x10FFFF;

struct Reference {
    std::string text;
    std::size_t size = 0; // bytes behind the "&"
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool is_hex_digit(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
bool is_alphanumeric(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

template <std::size_t Size>
std::optional<std::string_view> find_entity(const Entity (&table)[Size], std::string_view name) {
    const auto* found =
        std::lower_bound(std::begin(table), std::end(table), name,
                         [](const Entity& entity, std::string_view key) { return entity.name < key; });
    if (found == std::end(table) || found->name != name) return std::nullopt;
    return found->text;
}

std::string code_point_text(char32_t number) {
    for (const NumericEntity& entity : kInvalidReferences)
        if (entity.code_point == number) return std::string(entity.text);
    if ((number >= 0xD800 && number <= 0xDFFF) || number > kMaxCodePoint)
        return std::string(kReplacementCharacter);
    if (std::binary_search(std::begin(kInvalidCodePoints), std::end(kInvalidCodePoints), number)) return {};
    std::string text;
    append_character(text, number);
    return text;
}

/// rest starts with "#".
std::optional<Reference> numeric_reference(std::string_view rest) {
    const bool hexadecimal = rest.size() > 1 && (rest[1] == 'x' || rest[1] == 'X');
    const char32_t base = hexadecimal ? 16 : 10;
    const std::size_t first = hexadecimal ? 2 : 1;
    std::size_t end = first;
    char32_t number = 0;
    for (; end < rest.size() && (hexadecimal ? is_hex_digit(rest[end]) : is_digit(rest[end])); ++end) {
        const char c = rest[end];
        const int digit = is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10;
        number = std::min(number * base + static_cast<char32_t>(digit), kMaxCodePoint + 1);
    }
    if (end == first) return std::nullopt;
    if (end < rest.size() && rest[end] == ';') ++end;
    return Reference{code_point_text(number), end};
}

std::optional<Reference> named_reference(std::string_view rest) {
    constexpr std::string_view kEnding("\t\n\f <&#;", 8);
    std::int32_t end = 0;
    for (int count = 0; count < kMaxNameCharacters && end < static_cast<std::int32_t>(rest.size()) &&
                        kEnding.find(rest[static_cast<std::size_t>(end)]) == std::string_view::npos;
         ++count)
        U8_FWD_1(rest.data(), end, static_cast<std::int32_t>(rest.size()));
    std::size_t length = static_cast<std::size_t>(end);
    if (length == 0) return std::nullopt;
    if (length < rest.size() && rest[length] == ';') ++length;
    // The whole run, else the longest beginning that is a name.
    for (; length > 1; --length)
        if (const auto text = find_entity(kEntities, rest.substr(0, length)))
            return Reference{std::string(*text), length};
    return std::nullopt;
}

std::optional<Reference> strict_reference(std::string_view rest) {
    const std::size_t first = rest.starts_with("#") ? 1 : 0;
    std::size_t end = first;
    while (end < rest.size() && end - first <= kMaxStrictCharacters && is_alphanumeric(rest[end]))
        ++end;
    if (end == first || end - first > kMaxStrictCharacters || end == rest.size() || rest[end] != ';')
        return std::nullopt;
    const std::string_view name = rest.substr(0, end + 1);
    if (first == 1) {
        auto reference = numeric_reference(name);
        // ftfy takes a semicolon in the result for an undecoded rest, so "&#59;" stays.
        if (reference && (reference->size < name.size() || reference->text == ";")) return std::nullopt;
        return reference;
    }
    auto text = find_entity(kEntities, name);
    if (!text) text = find_entity(kUpperCaseEntities, name);
    if (!text) return std::nullopt;
    return Reference{std::string(*text), name.size()};
}

/// Copies the text; decode(rest) gives what stands for an ampersand and removes what it has read of the rest.
template <class Decode>
std::string replace_ampersands(std::string_view text, Decode decode) {
    std::string result;
    result.reserve(text.size());
    while (true) {
        const std::size_t ampersand = text.find('&');
        result += text.substr(0, ampersand);
        if (ampersand == std::string_view::npos) return result;
        text.remove_prefix(ampersand + 1);
        result += decode(text);
    }
}

} // namespace

std::string unescape_html(std::string_view text) {
    return replace_ampersands(text, [](std::string_view& rest) -> std::string {
        const auto reference = rest.starts_with("#") ? numeric_reference(rest) : named_reference(rest);
        if (!reference) return "&";
        rest.remove_prefix(reference->size);
        return reference->text;
    });
}

std::string unescape_html_strictly(std::string_view text) {
    return replace_ampersands(text, [](std::string_view& rest) {
        std::string decoded = "&";
        while (decoded == "&") {
            const auto reference = strict_reference(rest);
            if (!reference) break;
            decoded = reference->text;
            rest.remove_prefix(reference->size);
        }
        return decoded;
    });
}

} // namespace reelmesh
