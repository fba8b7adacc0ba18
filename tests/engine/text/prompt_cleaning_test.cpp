#include "text/prompt_cleaning.h"

#include "engine/text/tokenizer_goldens.h"

#include <gtest/gtest.h>

#include <chrono>

namespace reelmesh::testing {
namespace {

constexpr std::size_t kMaxPromptBytes = 1 << 20;

std::string repeated(const std::string& text, std::size_t total_bytes) {
    std::string result;
    while (result.size() + text.size() <= total_bytes)
        result += text;
    return result;
}

TEST(PromptCleaningTest, EqualsTheReference) {
    const auto& strings = tokenizer_goldens()["strings"];
    ASSERT_EQ(strings.size(), 212U);
    for (std::size_t i = 0; i < strings.size(); ++i) {
        if (is_exempt(i)) continue;
        EXPECT_EQ(clean_prompt(strings[i]["text"].get<std::string>()), strings[i]["clean"].get<std::string>())
            << "string " << i;
    }
}

TEST(PromptCleaningTest, DecodesEntitiesAtEveryLevelOnlyInTextWithoutTags) {
    EXPECT_EQ(clean_prompt("&amp;amp;amp;amp;amp;"), "&");
    EXPECT_EQ(clean_prompt("<b>&amp;amp;amp;amp;"), "<b>&amp;amp;");
    EXPECT_EQ(clean_prompt("&amp;amp;amp;amp;\n<b>"), "& <b>");
    EXPECT_EQ(clean_prompt("P&EACUTE;REZ &am&#1;p;lt; &#59;"), "P\u00C9REZ < ;");
}

TEST(PromptCleaningTest, RulesThatTheGoldensDoNotTouch) {
    EXPECT_EQ(clean_prompt("\u0149 \u02BC"), "'n '");
    EXPECT_EQ(clean_prompt("a\x1B[\uFF13\uFF11mred"), "ared");
    EXPECT_EQ(clean_prompt("\u0F40\u0F75\u0F73"), "\u0F40\u0F71\u0F71\u0F72\u0F74");
    EXPECT_EQ(clean_prompt("a\u0301\u0323"), "\u1EA1\u0301");
    EXPECT_EQ(clean_prompt("\uFF06amp;lt;"), "<");
}

/// A hang guard: quadratic algorithms took minutes here.
TEST(PromptCleaningTest, TakesLinearTime) {
    const auto start = std::chrono::steady_clock::now();
    // Below the length at which ftfy cuts a line.
    EXPECT_EQ(clean_prompt("&" + repeated("amp;", 900'000)), "&");
    EXPECT_FALSE(clean_prompt("a" + repeated("\u0301\u0323", kMaxPromptBytes)).empty());
    EXPECT_FALSE(clean_prompt("\u0F40" + repeated("\u0F73\u0F75", kMaxPromptBytes)).empty());
    EXPECT_FALSE(clean_prompt("&#xFF06;" + repeated("#xFF06;", kMaxPromptBytes)).empty());
    EXPECT_FALSE(clean_prompt(repeated("\x1B[;;;", kMaxPromptBytes)).empty());
    EXPECT_FALSE(clean_prompt(repeated("&", kMaxPromptBytes)).empty());
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
}

} // namespace
} // namespace reelmesh::testing
