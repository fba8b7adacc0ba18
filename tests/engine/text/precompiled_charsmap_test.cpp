#include "text/precompiled_charsmap.h"

#include "base/check.h"
#include "engine/text/tokenizer_goldens.h"
#include "support/expect_error.h"
#include "text/base64.h"

#include <gtest/gtest.h>

namespace reelmesh::testing {
namespace {

constexpr std::size_t kWordBytes = 4;

std::string real_charsmap() {
    std::ifstream stream(tokenizer_folder("wan21-t2v") + "/tokenizer.json");
    const auto json = nlohmann::json::parse(stream);
    return decode_base64(json["normalizer"]["precompiled_charsmap"].get<std::string>()).value();
}

std::string normalized(const PrecompiledCharsmap& charsmap, const std::string& text) {
    AlignedText input;
    input.append(text, 0);
    return charsmap.normalize(input).text;
}

ErrorCode verdict(const std::string& blob) {
    try {
        normalized(PrecompiledCharsmap(blob, "file"), "a\u0301 \uFF21\u0301 \u2460");
        return ErrorCode::None;
    } catch (const EngineException& exception) {
        return exception.error().code;
    }
}

std::string with_word(std::string blob, std::size_t word, std::uint32_t value) {
    for (std::size_t i = 0; i < kWordBytes; ++i)
        blob[word * kWordBytes + i] = static_cast<char>(value >> (8 * i));
    return blob;
}

/// Measured with the `tokenizers` library 0.23.3, oddities included.
TEST(PrecompiledCharsmapTest, LooksClustersUpAsTheReferenceDoes) {
    const PrecompiledCharsmap charsmap(real_charsmap(), "file");
    EXPECT_EQ(normalized(charsmap, "a\u0301"), "\u00E1");
    EXPECT_EQ(normalized(charsmap, "e\u0301\u0301"), "\u00E9");
    EXPECT_EQ(normalized(charsmap, "a\u0323\u0302"), "\u1EA1");
    EXPECT_EQ(normalized(charsmap, "\uFF21\u0301"), "A");
    EXPECT_EQ(normalized(charsmap, "q\u0301"), "q\u0301");
    EXPECT_EQ(normalized(charsmap, "\uFF76\uFF9E"), "\u30AB\u3099");
    EXPECT_EQ(normalized(charsmap, "\r\n"), " ");
    EXPECT_EQ(normalized(charsmap, "\u2460\uFE0F"), "1\uFE0F");
    EXPECT_EQ(normalized(charsmap, std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(PrecompiledCharsmapTest, RemembersWhereItsOutputCameFrom) {
    const PrecompiledCharsmap charsmap(real_charsmap(), "file");
    AlignedText input;
    input.append("\uFB01", 3);
    input.append("x", 4);
    const AlignedText output = charsmap.normalize(input);
    EXPECT_EQ(output.text, "fix");
    EXPECT_EQ(output.ends, (std::vector<std::uint32_t>{3, 3, 4}));
}

TEST(PrecompiledCharsmapTest, EmptyIsTheIdentity) {
    EXPECT_EQ(normalized(PrecompiledCharsmap("", "file"), "\uFF21\u0301"), "\uFF21\u0301");
}

TEST(PrecompiledCharsmapTest, ACutMapIsRefused) {
    const std::string blob = real_charsmap();
    ASSERT_EQ(verdict(blob), ErrorCode::None);
    // Every byte near the borders of the parts, then in strides: the array is checked as a whole each time.
    for (std::size_t size = 1; size < blob.size(); size += size < 64 || size + 64 > blob.size() ? 1 : 997)
        ASSERT_EQ(verdict(blob.substr(0, size)), ErrorCode::TokenizerSyntax) << size;
}

TEST(PrecompiledCharsmapTest, OffsetsOutsideAreRefused) {
    const std::string blob = real_charsmap();
    const std::size_t trie_bytes = static_cast<unsigned char>(blob[0]) |
                                   static_cast<unsigned char>(blob[1]) << 8 |
                                   static_cast<unsigned char>(blob[2]) << 16;
    for (const std::uint32_t size : {0U, 3U, static_cast<std::uint32_t>(trie_bytes) + 1, 0xFFFFFFFCU})
        EXPECT_EQ(verdict(with_word(blob, 0, size)), ErrorCode::TokenizerSyntax) << size;
    // The root, then a unit with the largest offset there is, then a value beyond the replacements.
    EXPECT_EQ(verdict(with_word(blob, 1, 0x7FFFFC00)), ErrorCode::TokenizerSyntax);
    EXPECT_EQ(verdict(with_word(blob, 40, 0x7FFFFE61)), ErrorCode::TokenizerSyntax);
    std::string unterminated = blob;
    unterminated.back() = 'x';
    EXPECT_EQ(verdict(unterminated), ErrorCode::TokenizerSyntax);
}

TEST(PrecompiledCharsmapTest, AnyDamagedWordIsRefusedOrHarmless) {
    const std::string blob = real_charsmap();
    for (std::size_t word = 1; word < 2000; word += 7)
        for (const std::uint32_t value : {0U, 0xFFFFFFFFU, 0x7FFFFFFFU, 0x00000161U, 0x80000000U}) {
            const ErrorCode code = verdict(with_word(blob, word, value));
            EXPECT_TRUE(code == ErrorCode::None || code == ErrorCode::TokenizerSyntax);
        }
}

} // namespace
} // namespace reelmesh::testing
