#include "engine/text/tokenizer_goldens.h"
#include "text/prompt_cleaning.h"
#include "text/tokenizer.h"

#include <gtest/gtest.h>

#include <vector>

namespace reelmesh::testing {
namespace {

constexpr std::int64_t kLimit = 512;

using Ids = std::vector<std::int64_t>;

struct Case {
    std::string model;
    std::string ids_of; // the model whose golden ids these are; some tokenizers stand in two folders
};

void PrintTo(const Case& test, std::ostream* stream) {
    *stream << test.model;
}

class TokenizerGoldensTest : public ::testing::TestWithParam<Case> {
protected:
    const nlohmann::json& strings_ = tokenizer_goldens()["strings"];
    const nlohmann::json& ids_ = tokenizer_goldens()["tokenizers"][GetParam().ids_of];
    std::unique_ptr<Tokenizer> tokenizer_ = load_tokenizer(tokenizer_folder(GetParam().model));
};

TEST_P(TokenizerGoldensTest, PromptsGiveTheReferenceIds) {
    ASSERT_EQ(strings_.size(), ids_["ids"].size());
    for (std::size_t i = 0; i < strings_.size(); ++i) {
        if (is_exempt(i)) continue;
        const std::string clean = clean_prompt(strings_[i]["text"].get<std::string>());
        EXPECT_EQ(tokenizer_->tokenize(clean, kLimit).ids, ids_["ids"][i].get<Ids>()) << "string " << i;
    }
}

/// Rougher text than the engine makes: decomposed accents, controls, full-width forms reach the normaliser.
TEST_P(TokenizerGoldensTest, TextThatFtfyDidNotFixGivesTheReferenceIds) {
    ASSERT_EQ(strings_.size(), ids_["ids_without_ftfy"].size());
    for (std::size_t i = 0; i < strings_.size(); ++i) {
        const auto text = strings_[i]["clean_without_ftfy"].get<std::string>();
        EXPECT_EQ(tokenizer_->tokenize(text, kLimit).ids, ids_["ids_without_ftfy"][i].get<Ids>())
            << "string " << i;
    }
}

TEST_P(TokenizerGoldensTest, ALimitKeepsTheFirstIdsAndTheEndToken) {
    for (std::size_t i = 0; i < strings_.size(); ++i) {
        const auto text = strings_[i]["clean"].get<std::string>();
        const Tokens whole = tokenizer_->tokenize(text, 1 << 20);
        ASSERT_EQ(whole.cut_byte, -1);
        ASSERT_EQ(whole.count, static_cast<std::int64_t>(whole.ids.size()));
        for (const std::int64_t limit : {1, 2, 512}) {
            const Tokens tokens = tokenizer_->tokenize(text, limit);
            EXPECT_EQ(tokens.count, whole.count);
            Ids expected = whole.ids;
            if (whole.count > limit) {
                expected.resize(static_cast<std::size_t>(limit));
                expected.back() = whole.ids.back();
            }
            EXPECT_EQ(tokens.ids, expected) << "string " << i << " limit " << limit;
            EXPECT_EQ(tokens.cut_byte >= 0, whole.count > limit);
        }
    }
}

/// What stands before the cut gives the kept ids again.
TEST_P(TokenizerGoldensTest, TheCutIsWhereTheKeptTokensEnd) {
    const std::string text = "a snow leopard walks across the frozen lake, slowly";
    const Tokens whole = tokenizer_->tokenize(text, kLimit);
    std::int64_t last_cut = 0;
    for (std::int64_t limit = 2; limit < whole.count; ++limit) {
        const Tokens tokens = tokenizer_->tokenize(text, limit);
        ASSERT_GE(tokens.cut_byte, last_cut);
        last_cut = tokens.cut_byte;
        const auto cut = static_cast<std::size_t>(tokens.cut_byte);
        if (text[cut] == ' ') {
            EXPECT_EQ(tokenizer_->tokenize(text.substr(0, cut), kLimit).ids, tokens.ids);
        }
    }
    EXPECT_GT(last_cut, static_cast<std::int64_t>(text.size()) / 2);
}

TEST_P(TokenizerGoldensTest, IdsStayBelowTheVocabularySize) {
    for (const auto& ids : ids_["ids"])
        for (const std::int64_t id : ids.get<Ids>())
            ASSERT_LT(id, tokenizer_->vocabulary_size());
}

INSTANTIATE_TEST_SUITE_P(Models, TokenizerGoldensTest,
                         ::testing::Values(Case{"wan21-t2v", "wan21-t2v"}, Case{"wan21-i2v", "wan21-i2v"},
                                           Case{"wan21-flf2v", "wan22-a14b"},
                                           Case{"wan22-a14b", "wan22-a14b"},
                                           Case{"wan22-ti2v-5b", "wan22-a14b"}));

} // namespace
} // namespace reelmesh::testing
