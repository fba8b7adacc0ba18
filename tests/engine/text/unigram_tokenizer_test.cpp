#include "text/unigram_tokenizer.h"

#include "engine/text/small_tokenizer.h"
#include "engine/text/tokenizer_goldens.h"
#include "text/tokenizer_json.h"

#include <gtest/gtest.h>

#include <chrono>

namespace reelmesh::testing {
namespace {

constexpr std::int64_t kNoLimit = 1 << 30;

using Ids = std::vector<std::int64_t>;

Tokens tokenize(const nlohmann::json& tokenizer, const std::string& text, std::int64_t limit = kNoLimit) {
    return parse_tokenizer_json(tokenizer.dump(), "file")->tokenize(text, limit);
}

TEST(UnigramTokenizerTest, TakesTheMostProbablePieces) {
    const auto tokenizer = small_tokenizer();
    EXPECT_EQ(tokenize(tokenizer, "").ids, (Ids{1}));
    EXPECT_EQ(tokenize(tokenizer, "a").ids, (Ids{4, 1}));
    EXPECT_EQ(tokenize(tokenizer, "ba").ids, (Ids{3, 6, 5, 1}));
    EXPECT_EQ(tokenize(tokenizer, "bab").ids, (Ids{3, 6, 7, 1}));
    EXPECT_EQ(tokenize(tokenizer, "babc").ids, (Ids{3, 6, 8, 1}));
    EXPECT_EQ(tokenize(tokenizer, "a  b").ids, (Ids{4, 3, 3, 6, 1}));
}

TEST(UnigramTokenizerTest, OfEquallyProbableWaysTheFirstFoundWins) {
    auto tokenizer = small_tokenizer();
    tokenizer["model"]["vocab"][7][1] = -8.0;
    EXPECT_EQ(tokenize(tokenizer, "bab").ids, (Ids{3, 6, 7, 1}));
    tokenizer["model"]["vocab"][7][1] = -8.5;
    EXPECT_EQ(tokenize(tokenizer, "bab").ids, (Ids{3, 6, 5, 6, 1}));
}

TEST(UnigramTokenizerTest, UnknownRunsAreOneTokenOrTheirBytes) {
    auto tokenizer = small_tokenizer();
    EXPECT_EQ(tokenize(tokenizer, "a\u00E9\u732Bb").ids, (Ids{4, 2, 6, 1}));
    tokenizer["model"]["byte_fallback"] = true;
    EXPECT_EQ(tokenize(tokenizer, "a\u00E9b").ids, (Ids{4, 2, 6, 1})) << "the byte pieces are missing";
    for (const char* piece : {"<0xC3>", "<0xA9>"})
        tokenizer["model"]["vocab"].push_back({piece, 0.0});
    EXPECT_EQ(tokenize(tokenizer, "a\u00E9b").ids, (Ids{4, 10, 11, 6, 1}));
    EXPECT_EQ(tokenize(tokenizer, "a\u00E9b", 3).cut_byte, 3);
}

TEST(UnigramTokenizerTest, AddedTokensAreCutOutFirst) {
    auto tokenizer = small_tokenizer();
    tokenizer["added_tokens"].push_back(
        {{"id", 10}, {"content", "</s>x"}, {"special", true}, {"normalized", false}});
    EXPECT_EQ(tokenize(tokenizer, "a</s>b</s>x").ids, (Ids{4, 1, 3, 6, 10, 1}));
    auto& token = tokenizer["added_tokens"][2];
    token["content"] = "bc";
    EXPECT_EQ(tokenize(tokenizer, "a bc b").ids, (Ids{4, 3, 10, 3, 6, 1}));
    token["lstrip"] = token["rstrip"] = true;
    EXPECT_EQ(tokenize(tokenizer, "a bc b").ids, (Ids{4, 10, 3, 6, 1}));
    token["single_word"] = true;
    EXPECT_EQ(tokenize(tokenizer, "abc bc.").ids, (Ids{3, 8, 10, 3, 2, 1}));
    token["normalized"] = true;
    tokenizer["normalizer"] = {{"type", "Replace"}, {"pattern", {{"String", "-"}}}, {"content", ""}};
    EXPECT_EQ(tokenize(tokenizer, "a b-c b").ids, (Ids{4, 10, 3, 6, 1}));
}

TEST(UnigramTokenizerTest, NormalizersRunInTheirOrder) {
    auto tokenizer = small_tokenizer();
    tokenizer["normalizer"] = {
        {"type", "Sequence"},
        {"normalizers",
         {{{"type", "Strip"}, {"strip_left", false}, {"strip_right", true}},
          {{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}}}}};
    EXPECT_EQ(tokenize(tokenizer, "  a   b  ").ids, (Ids{4, 3, 6, 1}));
}

TEST(UnigramTokenizerTest, FramesComeFromTheTemplate) {
    auto tokenizer = small_tokenizer();
    auto& single = tokenizer["post_processor"]["single"];
    single.insert(single.begin(), single[1]);
    EXPECT_EQ(tokenize(tokenizer, "a").ids, (Ids{1, 4, 1}));
    EXPECT_EQ(tokenize(tokenizer, "ab", 3).ids, (Ids{1, 4, 1}));
    EXPECT_EQ(tokenize(tokenizer, "ab", 3).count, 4);
}

TEST(UnigramTokenizerTest, PrefixSchemes) {
    auto tokenizer = small_tokenizer();
    tokenizer["pre_tokenizer"]["prepend_scheme"] = "never";
    EXPECT_EQ(tokenize(tokenizer, "a</s>a").ids, (Ids{5, 1, 5, 1}));
    tokenizer["pre_tokenizer"]["prepend_scheme"] = "first";
    EXPECT_EQ(tokenize(tokenizer, "a</s>a").ids, (Ids{4, 1, 5, 1}));
    tokenizer["pre_tokenizer"].erase("prepend_scheme");
    tokenizer["pre_tokenizer"]["add_prefix_space"] = false;
    EXPECT_EQ(tokenize(tokenizer, "a a").ids, (Ids{5, 4, 1}));
}

TEST(UnigramTokenizerTest, CutByteIsTheFirstByteBehindTheKeptTokens) {
    const auto tokenizer = small_tokenizer();
    const std::string text = "a \u732B ab";
    EXPECT_EQ(tokenize(tokenizer, text).ids, (Ids{4, 3, 2, 4, 6, 1}));
    const std::int64_t cuts[] = {0, 1, 2, 5, 7};
    for (std::int64_t limit = 1; limit <= 5; ++limit)
        EXPECT_EQ(tokenize(tokenizer, text, limit).cut_byte, cuts[limit - 1]) << limit;
    EXPECT_EQ(tokenize(tokenizer, text, 6).cut_byte, -1);
}

/// A hang guard: quadratic algorithms would take minutes.
TEST(UnigramTokenizerTest, AMegabyteTakesLinearTime) {
    const auto tokenizer = load_tokenizer(tokenizer_folder("wan21-i2v"));
    const std::size_t size = 1 << 20;
    const auto start = std::chrono::steady_clock::now();
    EXPECT_GT(tokenizer->tokenize(std::string(size, 'a'), 512).count, 1000);
    EXPECT_EQ(tokenizer->tokenize(std::string(size, ' '), 512).count, 1);
    std::string marks = "a", spaced;
    while (marks.size() < size)
        marks += "\u0301";
    while (spaced.size() < size)
        spaced += "b <extra_id_";
    EXPECT_GT(tokenizer->tokenize(marks, 512).count, 1);
    EXPECT_GT(tokenizer->tokenize(spaced, 512).count, 1000);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

} // namespace
} // namespace reelmesh::testing
