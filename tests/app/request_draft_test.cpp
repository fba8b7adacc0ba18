#include "models/request_draft.h"

#include "app_fixture.h"

namespace reelmesh {
namespace {

using SeedMode = RequestDraft::SeedMode;

class RequestDraftRulesTest : public ::testing::Test {
protected:
    RequestDraftRulesTest() {
        draft_.connectTo(client_);
        openFake(client_);
        EXPECT_TRUE(eventually([&] { return draft_.rules() != nullptr; }));
    }
    void useModel(const QString& folder) {
        bool told = false;
        QObject::connect(&draft_, &RequestDraft::rulesChanged, [&] { told = true; });
        draft_.setModel(folder);
        EXPECT_TRUE(eventually([&] { return told; }));
        draft_.disconnect(SIGNAL(rulesChanged()));
    }

    EngineClient client_;
    RequestDraft draft_;
};

TEST_F(RequestDraftRulesTest, UnsetFieldsShowTheFamilysDefaults) {
    EXPECT_EQ(draft_.complete().frames, 17);
    EXPECT_FALSE(draft_.request().frames);
    draft_.setField("frames", "33");
    EXPECT_EQ(draft_.complete().frames, 33);
    EXPECT_TRUE(draft_.isSet("frames"));
    draft_.resetField("frames");
    EXPECT_EQ(draft_.complete().frames, 17);
    EXPECT_FALSE(draft_.isSet("frames"));
}

TEST_F(RequestDraftRulesTest, IllegalValuesStayAndAreFaults) {
    draft_.setField("frames", "80");
    EXPECT_EQ(draft_.request().frames, 80);
    EXPECT_FALSE(draft_.isLegal());
    EXPECT_EQ(draft_.firstFault(), "frames");
    ASSERT_NE(draft_.fault("frames"), nullptr);
    EXPECT_EQ(draft_.fault("frames")->text("nearest"), "77, 81");
    EXPECT_TRUE(draft_.requests().empty());
    draft_.setField("frames", "81");
    EXPECT_TRUE(draft_.isLegal());
}

/// KF1 and KF3: the window's verdict on the sizes and counts that once slipped through.
TEST_F(RequestDraftRulesTest, SizesAndCountsThatOnceSlippedThrough) {
    useModel("/models/wan2.1-t2v-1.3b");
    draft_.setSize(640, 360);
    EXPECT_EQ(draft_.firstFault(), "height");
    EXPECT_EQ(draft_.fault("height")->text("nearest"), "352, 368");
    draft_.setSize(640, 352);
    EXPECT_TRUE(draft_.isLegal());
    for (const auto& [frames, offers] : {std::pair("-1", "1"),
                                         {"0", "1"},
                                         {"1", ""},
                                         {"2", "1, 5"},
                                         {"15", "13, 17"},
                                         {"33", ""},
                                         {"80", "77, 81"}}) {
        draft_.setField("frames", frames);
        const Error* fault = draft_.fault("frames");
        EXPECT_EQ(fault ? fault->text("nearest") : "", offers) << frames;
    }
}

TEST_F(RequestDraftRulesTest, TextThatIsNoValueIsAFaultUntilItIsMended) {
    draft_.setField("steps", "many");
    EXPECT_EQ(draft_.firstFault(), "steps");
    EXPECT_EQ(draft_.unreadable("steps"), "many");
    EXPECT_FALSE(draft_.isReadable("steps"));
    draft_.setField("steps", "");
    EXPECT_FALSE(draft_.isReadable("steps"));
    draft_.setField("steps", "16");
    EXPECT_TRUE(draft_.isLegal());
    EXPECT_TRUE(draft_.isReadable("steps"));
}

TEST_F(RequestDraftRulesTest, RandomSeedIsDrawnByTheEngineAndCanBeUsedAgain) {
    EXPECT_EQ(draft_.seedMode(), SeedMode::Random);
    EXPECT_FALSE(draft_.requests().front().seed);
    client_.submit(draft_.request());
    ASSERT_TRUE(eventually([&] { return draft_.lastSeed().has_value(); }));
    draft_.setSeed(*draft_.lastSeed());
    EXPECT_EQ(draft_.seedMode(), SeedMode::Fixed);
    EXPECT_EQ(draft_.requests().front().seed, draft_.lastSeed());
}

TEST_F(RequestDraftRulesTest, TheLargestSeedGoesAroundUnchanged) {
    draft_.setField("seed", "18446744073709551615");
    EXPECT_EQ(draft_.request().seed, UINT64_MAX);
    EXPECT_EQ(draft_.seedMode(), SeedMode::Fixed);
    const std::string json = job_to_json(draft_.requests().front(), JobScope::Whole);
    EXPECT_EQ(job_from_json(json, "job")->seed, UINT64_MAX);
    draft_.setField("seed", "18446744073709551616");
    EXPECT_EQ(draft_.firstFault(), "seed");
    draft_.setSeedMode(SeedMode::Random);
    EXPECT_TRUE(draft_.isLegal());
    EXPECT_FALSE(draft_.request().seed);
}

TEST_F(RequestDraftRulesTest, CountAndLinesMakeOneFrozenJobEach) {
    draft_.setPrompt("a ball\n\n  a boat  \n");
    draft_.setOneJobPerLine(true);
    draft_.setCount(2);
    draft_.setSeed(7);
    draft_.setSeedMode(SeedMode::Increment);
    EXPECT_EQ(draft_.jobCount(), 4);
    const auto jobs = draft_.take();
    ASSERT_EQ(jobs.size(), 4u);
    EXPECT_EQ(jobs[0].prompt, "a ball");
    EXPECT_EQ(jobs[3].prompt, "a boat");
    for (std::size_t i = 0; i < jobs.size(); ++i)
        EXPECT_EQ(jobs[i].seed, 7 + i);
    EXPECT_EQ(draft_.request().seed, 11u);
    draft_.setOneJobPerLine(false);
    draft_.setPrompt("another");
    EXPECT_EQ(jobs[0].prompt, "a ball");
    EXPECT_EQ(draft_.requests().size(), 2u);
}

TEST_F(RequestDraftRulesTest, PresetSetsOnlyItsOwnFields) {
    draft_.setPrompt("kept");
    const QByteArray preset = R"({"schema":1,"steps":30,"guidance":4.5})";
    ASSERT_TRUE(draft_.apply(preset, "preset"));
    EXPECT_EQ(draft_.prompt(), "kept");
    EXPECT_EQ(draft_.complete().steps, 30);
    EXPECT_TRUE(draft_.matches(preset));
    draft_.setField("steps", "31");
    EXPECT_FALSE(draft_.matches(preset));
    draft_.setField("steps", "30");
    EXPECT_TRUE(draft_.matches(preset));
    EXPECT_FALSE(draft_.apply("{", "preset"));
}

TEST_F(RequestDraftRulesTest, GuidanceOfOneTurnsTheNegativePromptOffAndBackOn) {
    EXPECT_TRUE(draft_.usesNegativePrompt());
    draft_.setNegativePrompt("blurry");
    EXPECT_TRUE(draft_.isNegativeEdited());
    draft_.setField("guidance", "1");
    EXPECT_FALSE(draft_.usesNegativePrompt());
    draft_.setField("guidance", "5");
    EXPECT_TRUE(draft_.usesNegativePrompt());
    EXPECT_EQ(draft_.negativePrompt(), "blurry");
    draft_.resetField("negative_prompt");
    EXPECT_FALSE(draft_.isNegativeEdited());
}

TEST_F(RequestDraftRulesTest, MissingModelIsSaidAndMended) {
    useModel("/models/missing-model");
    ASSERT_TRUE(draft_.modelError());
    EXPECT_EQ(draft_.firstFault(), "model");
    EXPECT_EQ(draft_.rules(), nullptr);
    useModel("");
    EXPECT_TRUE(draft_.isLegal());
}

TEST_F(RequestDraftRulesTest, AnotherModelsRulesReplaceTheOld) {
    useModel("/models/wan2.2-ti2v-5b");
    EXPECT_EQ(draft_.complete().frames, 121);
    EXPECT_EQ(draft_.rule("width")->grid, 32);
    EXPECT_FALSE(draft_.rule("boundary"));
    useModel("/models/wan2.2-t2v-a14b");
    EXPECT_TRUE(draft_.rule("boundary"));
    draft_.setField("boundary", "0.9");
    useModel("/models/wan2.1-t2v-14b");
    EXPECT_TRUE(draft_.isLegal());
}

} // namespace
} // namespace reelmesh
