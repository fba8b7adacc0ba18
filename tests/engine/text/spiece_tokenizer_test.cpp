#include "text/spiece_tokenizer.h"

#include "engine/text/tokenizer_goldens.h"
#include "support/expect_error.h"
#include "support/scratch_folder.h"
#include "text/spiece_check.h"

#include <gtest/gtest.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <limits>

namespace reelmesh::testing {
namespace {

constexpr std::int64_t kLimit = 512;
const char* const kModels[] = {"wan21-t2v", "wan21-i2v", "wan22-a14b"};

std::string model_bytes(const std::string& model) {
    return read_file(tokenizer_folder(model) + "/spiece.model");
}

std::string field(int number, const std::string& bytes) {
    REELMESH_CHECK(bytes.size() < 128);
    return std::string{static_cast<char>(number << 3 | 2), static_cast<char>(bytes.size())} + bytes;
}

std::string piece(const std::string& text, float score) {
    const auto word = std::bit_cast<std::uint32_t>(score);
    std::string bytes = field(1, text) + "\x15";
    for (int i = 0; i < 4; ++i)
        bytes.push_back(static_cast<char>(word >> (8 * i)));
    return field(1, bytes);
}

ErrorCode verdict(const std::string& model) {
    return error_of([&] { check_spiece_model(model, "file"); }).code;
}

/// The ids of sentencepiece 0.2.3; other than tokenizer.json's only where the goldens list a difference.
TEST(SpieceTokenizerTest, EqualsTheReference) {
    const auto& strings = tokenizer_goldens()["strings"];
    for (const std::string model : kModels) {
        const auto& golden = tokenizer_goldens()["tokenizers"][model];
        const SpieceTokenizer tokenizer(model_bytes(model), "file");
        for (std::size_t i = 0; i < strings.size(); ++i) {
            const auto& differences = golden["differences"]["ids"];
            const auto difference = differences.find(std::to_string(i));
            const bool differs = difference != differences.end() && difference->contains("spiece_model");
            const auto& expected = differs ? (*difference)["spiece_model"] : golden["ids"][i];
            EXPECT_EQ(tokenizer.tokenize(strings[i]["clean"].get<std::string>(), kLimit).ids,
                      expected.get<std::vector<std::int64_t>>())
                << model << " string " << i;
        }
    }
}

TEST(SpieceTokenizerTest, EqualsTokenizerJsonForPlainText) {
    for (const std::string model : kModels) {
        const SpieceTokenizer tokenizer(model_bytes(model), "file");
        const auto other = load_tokenizer(tokenizer_folder(model));
        for (const std::string text :
             {"", "a snow leopard, slowly", "the the the", "a lake under a purple sky"})
            for (const std::int64_t limit : {1, 2, 5, 512}) {
                const Tokens left = tokenizer.tokenize(text, limit), right = other->tokenize(text, limit);
                EXPECT_EQ(left.ids, right.ids) << model << " " << text;
                EXPECT_EQ(left.count, right.count);
                EXPECT_EQ(left.cut_byte, right.cut_byte);
            }
    }
}

TEST(SpieceTokenizerTest, IsReadWhereNothingElseIsThere) {
    const ScratchFolder folder;
    write_file(folder / "spiece.model", model_bytes("wan22-a14b"));
    const auto tokenizer = load_tokenizer(folder.path());
    EXPECT_EQ(tokenizer->tokenize("", kLimit).ids, std::vector<std::int64_t>{1});
    write_file(folder / "tokenizer.json", "{");
    EXPECT_EQ(error_of([&] { load_tokenizer(folder.path()); }).code, ErrorCode::TokenizerSyntax);
}

TEST(SpieceCheckTest, WireFormat) {
    const std::string good = piece("a", -1);
    EXPECT_NO_THROW(check_spiece_model(good, "file"));
    EXPECT_NO_THROW(check_spiece_model(good + std::string("\x98\x06\x01", 3), "file")) << "an unknown field";
    const std::string bad[] = {
        good + "\x0B",                     // group
        good + "\x0E",                     // wire type 6
        good + std::string("\x02\x00", 2), // field 0
        good + "\x0A\x05" + "ab",          // length beyond the file
        field(1, "\x0A\x09"
                 "a"),                                    // length beyond its parent
        good + "\x08\x01",                                // a piece that is a number
        field(1, "\x08\x01"),                             // a piece's text that is a number
        good + "\x98" + std::string(10, '\xFF') + "\x01", // long varint
        good + field(2, "\x1D"
                        "aaaa"),     // model type as a fixed word
        good + field(3, "\x10\x01"), // character map as a number
    };
    for (const std::string& model : bad)
        EXPECT_EQ(verdict(model), ErrorCode::TokenizerSyntax) << &model - bad;
}

TEST(SpieceCheckTest, Content) {
    const std::string good = piece("a", -1);
    EXPECT_EQ(verdict(field(2, "\x18\x01")), ErrorCode::LimitExceeded) << "no pieces";
    EXPECT_EQ(verdict(good + piece("b", std::numeric_limits<float>::quiet_NaN())),
              ErrorCode::UnsupportedTokenizer);
    EXPECT_EQ(verdict(good + piece("b", std::numeric_limits<float>::infinity())),
              ErrorCode::UnsupportedTokenizer);
    EXPECT_EQ(verdict(good + piece("\xFF", 0)), ErrorCode::UnsupportedTokenizer);
    EXPECT_EQ(verdict(good + piece("", 0)), ErrorCode::UnsupportedTokenizer);
    EXPECT_EQ(verdict(good + field(2, "\x18\x02")), ErrorCode::UnsupportedTokenizer) << "BPE";
    EXPECT_EQ(verdict(good + field(2, "\xD0\x02\x01")), ErrorCode::UnsupportedTokenizer) << "end id 1 of 1";
    EXPECT_EQ(verdict(good + field(3, field(2, "abc"))), ErrorCode::TokenizerSyntax) << "character map";
    std::string many;
    for (int i = 0; i <= 1'000'000; ++i)
        many += good;
    EXPECT_EQ(verdict(many), ErrorCode::LimitExceeded);
}

TEST(SpieceTokenizerTest, WhatTheLibraryRefusesIsUnsupported) {
    const Error error = error_of([] { SpieceTokenizer(piece("a", -1) + piece("a", -1), "file"); });
    EXPECT_EQ(error.code, ErrorCode::UnsupportedTokenizer);
    EXPECT_FALSE(error.text("found").empty());
}

TEST(SpieceTokenizerTest, DamageIsRefusedOrHarmless) {
    const std::string good = model_bytes("wan22-a14b");
    std::size_t num_refused = 0;
    const auto try_model = [&](const std::string& model) {
        try {
            SpieceTokenizer(model, "file").tokenize("a snow leopard \uFF21\u0301", kLimit);
        } catch (const EngineException&) {
            ++num_refused;
        }
    };
    for (std::size_t size = 0; size < good.size(); size += 31)
        try_model(good.substr(0, size));
    EXPECT_GT(num_refused, 0U);
    for (std::size_t place = 0; place < good.size(); place += 23) {
        std::string damaged = good;
        damaged[place] = static_cast<char>(damaged[place] ^ (1 << place % 8));
        try_model(damaged);
    }
    // The head of the character map of a model that has one.
    std::string mapped = model_bytes("wan21-t2v");
    const std::size_t map_begin = mapped.find("nmt_nfkc");
    ASSERT_NE(map_begin, std::string::npos);
    for (std::size_t place = map_begin; place < map_begin + 64; ++place) {
        std::string damaged = mapped;
        damaged[place] = static_cast<char>(~damaged[place]);
        try_model(damaged);
    }
}

} // namespace
} // namespace reelmesh::testing
