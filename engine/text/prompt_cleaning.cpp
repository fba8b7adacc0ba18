#include "text/prompt_cleaning.h"

#include "base/check.h"
#include "text/html_entities.h"
#include "text/utf8.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <vector>

namespace reelmesh {
namespace {

// ftfy works line by line, and cuts longer lines into parts of so many characters.
constexpr std::size_t kMaxSegmentCharacters = 1'000'000;
// Each pass may uncover something for the next, and text can be made so that every pass uncovers only a
// little. Nothing that anyone writes needs more than four.
constexpr int kMaxPasses = 12;

// Characters of windows-1252 at 0x80 ... 0x9F; 0 where there is none.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0,      0x017D, 0,      0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0,      0x017E, 0x0178};

struct Ligature {
    char32_t code_point;
    std::u32string_view letters;
};
constexpr Ligature kLigatures[] = {
    {0x0132, U"IJ"},      {0x0133, U"ij"}, {0x0149, U"\u02BCn"}, {0x01C4, U"D\u017D"}, {0x01C5, U"D\u017E"},
    {0x01C6, U"d\u017E"}, {0x01C7, U"LJ"}, {0x01C8, U"Lj"},      {0x01C9, U"lj"},      {0x01CA, U"NJ"},
    {0x01CB, U"Nj"},      {0x01CC, U"nj"}, {0x01F1, U"DZ"},      {0x01F2, U"Dz"},      {0x01F3, U"dz"},
    {0xFB00, U"ff"},      {0xFB01, U"fi"}, {0xFB02, U"fl"},      {0xFB03, U"ffi"},     {0xFB04, U"ffl"},
    {0xFB05, U"\u017Ft"}, {0xFB06, U"st"}};

const icu::Normalizer2& normalizer(const icu::Normalizer2* (*instance)(UErrorCode&)) {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* result = instance(status);
    REELMESH_CHECK(U_SUCCESS(status));
    return *result;
}

struct Mark {
    std::uint8_t combining_class;
    std::string_view bytes;
};

/// Combining marks in canonical order, which changes nothing in the normal form. ICU sorts by insertion, in
/// quadratic time: a prompt of nothing but marks took minutes.
std::string sort_marks(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    std::vector<Mark> marks;
    const auto flush = [&] {
        std::stable_sort(marks.begin(), marks.end(), [](const Mark& left, const Mark& right) {
            return left.combining_class < right.combining_class;
        });
        for (const Mark& mark : marks)
            result += mark.bytes;
        marks.clear();
    };
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t start = position;
        const char32_t character = next_character(text, position);
        // Three Tibetan vowels are no marks themselves, but two marks when taken apart.
        if (character == 0x0F73)
            marks.insert(marks.end(), {{129, "\u0F71"}, {130, "\u0F72"}});
        else if (character == 0x0F75)
            marks.insert(marks.end(), {{129, "\u0F71"}, {132, "\u0F74"}});
        else if (character == 0x0F81)
            marks.insert(marks.end(), {{129, "\u0F71"}, {130, "\u0F80"}});
        else {
            const std::string_view bytes = text.substr(start, position - start);
            const std::uint8_t combining_class = u_getCombiningClass(static_cast<UChar32>(character));
            if (combining_class != 0) {
                marks.push_back({combining_class, bytes});
                continue;
            }
            flush();
            result += bytes;
        }
    }
    flush();
    return result;
}

std::string to_nfc(std::string_view original) {
    const std::string text = sort_marks(original);
    const icu::Normalizer2& nfc = normalizer(&icu::Normalizer2::getNFCInstance);
    UErrorCode status = U_ZERO_ERROR;
    std::string result;
    icu::StringByteSink<std::string> sink(&result, static_cast<std::int32_t>(text.size()));
    nfc.normalizeUTF8(0, icu::StringPiece(text.data(), static_cast<std::int32_t>(text.size())), sink, nullptr,
                      status);
    REELMESH_CHECK(U_SUCCESS(status));
    return result;
}

/// Full-width and half-width forms by their compatibility decomposition.
void append_normal_width(std::string& text, char32_t character) {
    const icu::Normalizer2& nfkc = normalizer(&icu::Normalizer2::getNFKCInstance);
    UErrorCode status = U_ZERO_ERROR;
    nfkc.normalize(icu::UnicodeString(static_cast<UChar32>(character)), status).toUTF8String(text);
    REELMESH_CHECK(U_SUCCESS(status));
}

/// Quotes, and line breaks of one character.
char32_t straighten(char32_t character) {
    if (character == 0x02BC || (character >= 0x2018 && character <= 0x201B)) return '\'';
    if (character >= 0x201C && character <= 0x201F) return '"';
    if (character == '\r' || character == 0x2028 || character == 0x2029) return '\n';
    return character;
}

void append_fixed(std::string& text, char32_t character) {
    if (character >= 0x80 && character <= 0x9F && kWindows1252[character - 0x80] != 0)
        character = kWindows1252[character - 0x80];
    const auto* ligature =
        std::lower_bound(std::begin(kLigatures), std::end(kLigatures), character,
                         [](const Ligature& entry, char32_t key) { return entry.code_point < key; });
    if (ligature != std::end(kLigatures) && ligature->code_point == character) {
        for (const char32_t letter : ligature->letters)
            append_character(text, straighten(letter));
        return;
    }
    if (character == 0x3000) return append_character(text, ' ');
    if (character > 0xFF00 && character < 0xFFF0) return append_normal_width(text, character);
    append_character(text, straighten(character));
}

std::string fix_characters(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        if (text.substr(position).starts_with("\r\n")) ++position;
        append_fixed(result, next_character(text, position));
    }
    return result;
}

/// Size of the terminal escape that starts here (ESC [ digits and semicolons, a letter), 0 if there is none.
std::size_t terminal_escape_size(std::string_view text) {
    if (!text.starts_with("\x1B[")) return 0;
    for (std::size_t position = 2; position < text.size();) {
        const char32_t character = next_character(text, position);
        if ((character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z')) return position;
        if (character != ';' && !u_isdigit(static_cast<UChar32>(character))) return 0;
    }
    return 0;
}

bool is_removed(char32_t character) {
    if (character < 0x20) return character < '\t' || character == 0x0B || character > '\r';
    return character == 0x7F || (character >= 0x206A && character <= 0x206F) || character == 0xFEFF ||
           (character >= 0xFFF9 && character <= 0xFFFC);
}

std::string remove_controls(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t position = 0; position < text.size();) {
        if (const std::size_t size = terminal_escape_size(text.substr(position))) {
            position += size;
            continue;
        }
        const std::size_t start = position;
        if (!is_removed(next_character(text, position))) result += text.substr(start, position - start);
    }
    return result;
}

enum class Entities { Keep, Decode };

std::string fix_segment(std::string_view segment, Entities entities) {
    std::string text(segment);
    for (int pass = 0; pass < kMaxPasses; ++pass) {
        const std::string decoded = entities == Entities::Decode ? unescape_html_strictly(text) : text;
        std::string fixed = to_nfc(remove_controls(fix_characters(decoded)));
        if (fixed == text) break;
        text = std::move(fixed);
    }
    return text;
}

std::size_t segment_size(std::string_view text) {
    const std::size_t line = std::min(text.find('\n'), text.size() - 1) + 1;
    if (line <= kMaxSegmentCharacters) return line;
    std::size_t position = 0;
    for (std::size_t count = 0; count < kMaxSegmentCharacters && position < line; ++count)
        next_character(text, position);
    return position;
}

/// As ftfy.fix_text without the repair of mis-decoded text.
std::string fix_text(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    Entities entities = Entities::Decode;
    while (!text.empty()) {
        const std::string_view segment = text.substr(0, segment_size(text));
        // From the first "<" on the text counts as HTML, which must keep its entities.
        if (segment.find('<') != std::string_view::npos) entities = Entities::Keep;
        result += fix_segment(segment, entities);
        text.remove_prefix(segment.size());
    }
    return result;
}

bool is_space(char32_t character) {
    return u_isUWhiteSpace(static_cast<UChar32>(character)) != 0;
}

/// What Python's str.strip() takes away.
bool is_stripped(char32_t character) {
    return is_space(character) || (character >= 0x1C && character <= 0x1F);
}

template <class Predicate>
std::string_view strip(std::string_view text, Predicate&& is_outer) {
    std::size_t begin = text.size(), end = 0;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t start = position;
        if (is_outer(next_character(text, position))) continue;
        begin = std::min(begin, start);
        end = position;
    }
    return begin < end ? text.substr(begin, end - begin) : std::string_view();
}

std::string collapse_spaces(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    bool after_space = false;
    for (std::size_t position = 0; position < text.size();) {
        const std::size_t start = position;
        const bool space = is_space(next_character(text, position));
        if (!space)
            result += text.substr(start, position - start);
        else if (!after_space)
            result.push_back(' ');
        after_space = space;
    }
    return result;
}

} // namespace

std::string clean_prompt(std::string_view prompt) {
    const std::string text = unescape_html(unescape_html(fix_text(prompt)));
    const std::string collapsed = collapse_spaces(strip(text, is_stripped));
    return std::string(strip(collapsed, is_stripped));
}

} // namespace reelmesh
