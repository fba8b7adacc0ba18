#include "text/precompiled_charsmap.h"

#include "base/check.h"
#include "text/utf8.h"

#include <unicode/brkiter.h>
#include <unicode/locid.h>
#include <unicode/utext.h>

#include <memory>

namespace reelmesh {
namespace {

constexpr std::size_t kMaxClusterBytes = 5;
constexpr std::uint32_t kLeafBit = 0x80000000;
constexpr std::size_t kBlockUnits = 256;

// The fields of a unit, as Darts-clone packs them.
bool has_leaf(std::uint32_t unit) {
    return ((unit >> 8) & 1) != 0;
}
std::uint32_t value(std::uint32_t unit) {
    return unit & ~kLeafBit;
}
std::uint32_t label(std::uint32_t unit) {
    return unit & (kLeafBit | 0xFF);
}
std::uint32_t offset(std::uint32_t unit) {
    return (unit >> 10) << ((unit & 0x200) >> 6);
}

std::uint32_t little_endian_word(std::string_view bytes) {
    std::uint32_t word = 0;
    for (std::size_t i = 0; i < sizeof(word); ++i)
        word |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
    return word;
}

using UTextPointer = std::unique_ptr<UText, decltype(&utext_close)>;

std::unique_ptr<icu::BreakIterator> clusters_of(UText* text) {
    UErrorCode status = U_ZERO_ERROR;
    // Making one from its rules costs far more than a copy.
    static const std::unique_ptr<icu::BreakIterator> prototype(
        icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(), status));
    REELMESH_CHECK(U_SUCCESS(status) && prototype);
    std::unique_ptr<icu::BreakIterator> iterator(prototype->clone());
    iterator->setText(text, status);
    REELMESH_CHECK(U_SUCCESS(status));
    return iterator;
}

} // namespace

PrecompiledCharsmap::PrecompiledCharsmap(std::string_view blob, const std::string& file) {
    if (blob.empty()) return;
    const auto refuse = [&](const char* reason) {
        fail(ErrorCode::TokenizerSyntax,
             {{"file", file}, {"reason", std::string("character map: ") + reason}});
    };
    constexpr std::size_t kWordBytes = sizeof(std::uint32_t);
    if (blob.size() < kWordBytes) refuse("cut off");
    const std::size_t trie_bytes = little_endian_word(blob);
    blob.remove_prefix(kWordBytes);
    if (trie_bytes == 0 || trie_bytes % kWordBytes != 0) refuse("the array is not made of words");
    if (trie_bytes > blob.size()) refuse("the array ends behind the map");
    units_.reserve(trie_bytes / kWordBytes);
    for (std::size_t i = 0; i < trie_bytes; i += kWordBytes)
        units_.push_back(little_endian_word(blob.substr(i)));
    pool_ = blob.substr(trie_bytes);
    if (const char* reason = flaw()) refuse(reason);
}

const char* PrecompiledCharsmap::flaw() const {
    if (!pool_.empty() && pool_.back() != '\0') return "the last replacement has no end";
    if (!is_utf8(pool_)) return "a replacement is not UTF-8";
    // All units but leaves, reachable or not: a superset of what a walk can visit, in linear time. The
    // children of a unit lie in the block of 256 units it points into.
    for (std::size_t i = 0; i < units_.size(); ++i) {
        if (i != 0 && (units_[i] & kLeafBit)) continue;
        const std::size_t target = i ^ offset(units_[i]);
        if ((target | (kBlockUnits - 1)) >= units_.size()) return "the array points outside itself";
        if (i == 0 || !has_leaf(units_[i])) continue;
        const std::size_t replacement = value(units_[target]);
        if (replacement >= pool_.size()) return "a replacement lies outside the map";
        if (U8_IS_TRAIL(static_cast<unsigned char>(pool_[replacement])))
            return "a replacement starts inside a character";
    }
    return nullptr;
}

std::optional<std::string_view> PrecompiledCharsmap::shortest_match(std::string_view key) const {
    std::size_t position = offset(units_[0]);
    for (const char c : key) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == 0) break;
        position ^= byte;
        if (position >= units_.size() || label(units_[position]) != byte) break;
        const std::uint32_t unit = units_[position];
        position ^= offset(unit);
        if (!has_leaf(unit)) continue;
        if (position >= units_.size() || value(units_[position]) >= pool_.size()) break;
        const std::string_view replacement = std::string_view(pool_).substr(value(units_[position]));
        return replacement.substr(0, replacement.find('\0'));
    }
    return std::nullopt;
}

AlignedText PrecompiledCharsmap::normalize(const AlignedText& input) const {
    if (units_.empty()) return input;
    const std::string_view text = input.text;
    AlignedText result;
    result.begin = input.begin;
    result.text.reserve(text.size());
    result.ends.reserve(text.size());

    UErrorCode status = U_ZERO_ERROR;
    const UTextPointer utext(
        utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status), &utext_close);
    REELMESH_CHECK(U_SUCCESS(status));
    const auto clusters = clusters_of(utext.get());
    std::size_t begin = 0;
    for (std::int32_t next = clusters->next(); next != icu::BreakIterator::DONE; next = clusters->next()) {
        const auto end = static_cast<std::size_t>(next);
        const std::string_view cluster = text.substr(begin, end - begin);
        const auto replacement = cluster.size() <= kMaxClusterBytes ? shortest_match(cluster) : std::nullopt;
        if (replacement) result.append(*replacement, input.ends[end - 1]);
        for (std::size_t position = begin; !replacement && position < end;) {
            const std::size_t start = position;
            next_character(text, position);
            const std::string_view character = text.substr(start, position - start);
            result.append(shortest_match(character).value_or(character), input.ends[position - 1]);
        }
        begin = end;
    }
    return result;
}

} // namespace reelmesh
