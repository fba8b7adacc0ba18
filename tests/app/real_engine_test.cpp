// The form's models on the real engine and its sample model: what is typed is counted and planned by what
// will run.
#include <QElapsedTimer>

#include "app_fixture.h"
#include "bridge/engine_library.h"
#include "models/plan_model.h"
#include "models/prompt_tokens.h"
#include "models/request_draft.h"

namespace reelmesh {
namespace {

constexpr const char* kPrompts[] = {"",
                                    "a green fish moves to the right on a white background",
                                    "  two   spaces,\ttabs and\nnew lines  ",
                                    "一只绿色的鱼在白色背景上向右移动",
                                    "夜の港に浮かぶ小さな帆船",
                                    "한밤의 작은 돛단배",
                                    "маленький парусник в ночной бухте",
                                    "قارب شراعي صغير في الليل",
                                    "🎥🐟➡️",
                                    "👩‍🚀 on the 🌕, 4K",
                                    "salt &amp; pepper, &lt;b&gt;bold&lt;/b&gt;",
                                    "&amp;amp; twice",
                                    "“curly” ‘quotes’ — and … dots",
                                    "café, naïve, Ångström, ﬁne",
                                    "(word:1.2) [another] {third}",
                                    "1280x720, 16:9, 3.14159, 1e-5",
                                    "C:\\films\\new & a/b/c",
                                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
                                    "A SHOUTING PROMPT!!! REALLY???",
                                    "zero\u200Bwidth and no\u00A0break"};

class RealEngineTest : public ::testing::Test {
protected:
    RealEngineTest() {
        draft_.connectTo(client_);
        client_.open([] {
            EngineOptions options;
            options.resources = REELMESH_RESOURCES;
            return openEngineLibrary({REELMESH_ENGINE}, options);
        });
        EXPECT_TRUE(eventually([&] { return draft_.rules() && plan_.isCurrent() && tokens_.isCurrent(); }));
    }
    int tokenized(const std::string& prompt) {
        int count = -1;
        client_.ask(
            &draft_, [prompt](Engine& engine) { return engine.tokenize("", prompt).get(); },
            [&](const Result<TokenizedPrompt>& tokens) {
                count = tokens ? static_cast<int>(tokens->count) : -2;
            });
        EXPECT_TRUE(eventually([&] { return count != -1; }));
        return count;
    }

    EngineClient client_;
    RequestDraft draft_;
    PlanModel plan_{client_, draft_};
    PromptTokens tokens_{client_, draft_};
};

/// G11.
TEST_F(RealEngineTest, PromptsAreCountedAsTokenizeCounts) {
    static_assert(std::size(kPrompts) == 20);
    for (const char* prompt : kPrompts) {
        draft_.setPrompt(QString::fromUtf8(prompt));
        ASSERT_TRUE(eventually([&] { return tokens_.isCurrent(); }));
        EXPECT_EQ(tokens_.count(), tokenized(prompt)) << prompt;
        EXPECT_EQ(tokens_.limit(), 512);
    }
}

/// G18. The time is a hang guard, ten times the promise.
TEST_F(RealEngineTest, OutcomeFollowsAnEditAtOnce) {
    qint64 longest_ms = 0;
    for (const int frames : {5, 81, 17, 33, 9}) {
        QElapsedTimer time;
        time.start();
        draft_.setField("frames", QString::number(frames));
        ASSERT_TRUE(eventually([&] { return plan_.isCurrent(); }));
        longest_ms = std::max(longest_ms, time.elapsed());
        ASSERT_NE(plan_.chosen(), nullptr);
    }
    RecordProperty("longest_ms", static_cast<int>(longest_ms));
    EXPECT_LE(longest_ms, 1500);
}

} // namespace
} // namespace reelmesh
