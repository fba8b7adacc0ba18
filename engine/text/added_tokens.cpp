#include "text/added_tokens.h"

#include "text/utf8.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <utility>

namespace reelmesh {
namespace {

PieceTrie trie_of(const std::vector<AddedToken>& tokens) {
    std::vector<std::string_view> contents;
    for (const AddedToken& token : tokens)
        contents.push_back(token.content);
    return PieceTrie(contents);
}

/// \w of the regular expressions of the `tokenizers` library.
bool is_word_character(UChar32 character) {
    const std::uint32_t kinds = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
    return u_isUAlphabetic(character) || (U_GET_GC_MASK(character) & kinds) ||
           u_hasBinaryProperty(character, UCHAR_JOIN_CONTROL);
}

UChar32 character_before(std::string_view text, std::size_t& position) {
    UChar32 character = 0;
    auto index = static_cast<std::int32_t>(position);
    U8_PREV_OR_FFFD(text.data(), 0, index, character);
    position = static_cast<std::size_t>(index);
    return character;
}

bool touches_word(std::string_view text, std::size_t begin, std::size_t end) {
    if (begin > 0 && is_word_character(character_before(text, begin))) return true;
    return end < text.size() && is_word_character(static_cast<UChar32>(next_character(text, end)));
}

std::size_t skip_spaces_left(std::string_view text, std::size_t position, std::size_t limit) {
    while (position > limit) {
        std::size_t previous = position;
        if (!u_isUWhiteSpace(character_before(text, previous))) break;
        position = previous;
    }
    return position;
}

std::size_t skip_spaces_right(std::string_view text, std::size_t position) {
    while (position < text.size()) {
        std::size_t next = position;
        if (!u_isUWhiteSpace(static_cast<UChar32>(next_character(text, next)))) break;
        position = next;
    }
    return position;
}

} // namespace

AddedTokens::AddedTokens(std::vector<AddedToken> tokens)
    : tokens_(std::move(tokens)), trie_(trie_of(tokens_)) {}

std::vector<AddedTokens::Part> AddedTokens::split(std::string_view text) const {
    std::vector<Part> parts;
    std::size_t text_begin = 0;
    for (std::size_t position = 0; position < text.size();) {
        std::uint32_t node = PieceTrie::kRoot;
        std::int32_t found = PieceTrie::kNoPiece;
        std::size_t found_end = position;
        for (std::size_t end = position; end < text.size();) {
            const auto child = trie_.child(node, static_cast<unsigned char>(text[end]));
            if (!child) break;
            node = *child;
            ++end;
            if (trie_.value(node) == PieceTrie::kNoPiece) continue;
            found = trie_.value(node);
            found_end = end;
        }
        if (found == PieceTrie::kNoPiece) {
            ++position;
            continue;
        }
        const AddedToken& token = tokens_[static_cast<std::size_t>(found)];
        std::size_t begin = position;
        position = found_end;
        if (token.single_word && touches_word(text, begin, found_end)) continue;
        if (token.strip_left) begin = skip_spaces_left(text, begin, text_begin);
        if (token.strip_right) position = skip_spaces_right(text, position);
        if (text_begin < begin) parts.push_back({text_begin, begin, kText});
        parts.push_back({begin, position, token.id});
        text_begin = position;
    }
    if (text_begin < text.size()) parts.push_back({text_begin, text.size(), kText});
    return parts;
}

} // namespace reelmesh
