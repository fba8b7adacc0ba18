#include "models/plan_model.h"

#include <QElapsedTimer>

#include "models/outcome.h"
#include "panel_fixture.h"

namespace reelmesh {
namespace {

class PlanModelTest : public PanelTest {};

TEST_F(PlanModelTest, FollowsTheDraftAndChoosesTheBest) {
    ASSERT_TRUE(known());
    ASSERT_NE(plan_.chosen(), nullptr);
    EXPECT_EQ(plan_.chosen()->mesh, "cfg2");
    EXPECT_TRUE(plan_.canGenerate());
    EXPECT_EQ(plan_.hardware().cores, 2);
    draft_.setRanks(1);
    EXPECT_FALSE(plan_.isCurrent());
    ASSERT_TRUE(planned());
    EXPECT_EQ(plan_.chosen()->mesh, "single");
    // The table still has the others.
    EXPECT_GT(plan_.plans().plans.size(), 1u);
}

/// G16: at a guidance of 1 the plan has no CFG axis, and back.
TEST_F(PlanModelTest, GuidanceOfOneReplansWithoutTheCfgAxis) {
    ASSERT_TRUE(known());
    draft_.setField("guidance", "1");
    ASSERT_TRUE(planned());
    EXPECT_EQ(plan_.chosen()->mesh, "ulysses2");
    draft_.setField("guidance", "5");
    ASSERT_TRUE(planned());
    EXPECT_EQ(plan_.chosen()->mesh, "cfg2");
}

TEST_F(PlanModelTest, ManualMeshWithCfgAtGuidanceOfOneOffersTheSameRanksWithoutIt) {
    ASSERT_TRUE(known());
    draft_.setMesh("cfg2");
    draft_.setField("guidance", "1");
    ASSERT_TRUE(planned());
    EXPECT_EQ(draft_.firstFault(), "mesh");
    EXPECT_FALSE(plan_.canGenerate());
    ASSERT_FALSE(plan_.fixes().isEmpty());
    plan_.apply(plan_.fixes().first());
    ASSERT_TRUE(planned());
    EXPECT_TRUE(draft_.isLegal());
    ASSERT_NE(plan_.chosen(), nullptr);
    EXPECT_EQ(plan_.chosen()->ranks, 2);
}

TEST_F(PlanModelTest, ImpossiblePlanOffersChangesThatArePossible) {
    useModel("/models/wan2.1-t2v-14b");
    ASSERT_TRUE(planned());
    ASSERT_TRUE(plan_.error());
    EXPECT_EQ(plan_.error()->code, ErrorCode::MemoryTooSmall);
    EXPECT_EQ(plan_.chosen(), nullptr);
    EXPECT_FALSE(plan_.canGenerate());
    EXPECT_TRUE(plan_.whyNot().startsWith("Not possible: needs ≈ ")) << plan_.whyNot().toStdString();
    const QList<PlanModel::Fix> fixes = plan_.fixes();
    ASSERT_EQ(fixes.size(), 2);
    EXPECT_TRUE(fixes[0].text.endsWith("frames"));
    EXPECT_EQ((*fixes[0].request.frames - 1) % 4, 0);
    EXPECT_LT(*fixes[0].request.frames, 81);
    EXPECT_EQ(fixes[1].text, "832×480");
    FakeEngine engine;
    for (const PlanModel::Fix& fix : fixes)
        EXPECT_FALSE(engine.plan(fix.request, engine.hardware())->plans.front().refusal)
            << fix.text.toStdString();
    // One step more is not: the fix is the nearest one.
    JobRequest more = fixes[0].request;
    more.frames = *more.frames + 4;
    EXPECT_TRUE(engine.plan(more, engine.hardware())->plans.front().refusal);
    plan_.apply(fixes[0]);
    ASSERT_TRUE(planned());
    EXPECT_TRUE(plan_.canGenerate());
    EXPECT_EQ(draft_.request().frames, fixes[0].request.frames);
    EXPECT_FALSE(draft_.request().width);
}

TEST_F(PlanModelTest, WordsAndSeedPlanNothingAnew) {
    ASSERT_TRUE(known());
    draft_.setPrompt("another");
    draft_.setSeed(5);
    EXPECT_TRUE(plan_.isCurrent());
}

TEST_F(PlanModelTest, IllegalDraftIsNoReasonToRun) {
    ASSERT_TRUE(known());
    draft_.setField("frames", "80");
    EXPECT_FALSE(plan_.canGenerate());
    EXPECT_TRUE(plan_.whyNot().contains("77, 81")) << plan_.whyNot().toStdString();
}

class SlowPlanTest : public PanelTest {
protected:
    SlowPlanTest() : PanelTest({.query_time = std::chrono::milliseconds(60)}) {}
};

TEST_F(SlowPlanTest, ManyChangesMakeFewPlansAndTheLastOneWins) {
    ASSERT_TRUE(known());
    int plans = 0;
    QObject::connect(&plan_, &PlanModel::changed, [&] { ++plans; });
    for (int n = 1; n <= 40; ++n) {
        draft_.setField("frames", QString::number(4 * n + 1));
        QTest::qWait(2);
    }
    EXPECT_FALSE(plan_.isCurrent());
    ASSERT_TRUE(planned());
    EXPECT_EQ(plan_.plans().latent_frames, 41);
    EXPECT_LE(plans, 5);
}

TEST(OutcomeTest, LinesOfTheSpecification) {
    JobRequest job;
    job.width = 832;
    job.height = 480;
    job.frames = 81;
    job.fps = FrameRate{16, 1};
    EXPECT_EQ(clipLine(job, 32760), "81 frames = 5.06 s at 16 fps · 32 760 tokens");
    Plan plan;
    plan.mesh = "cfg2,ulysses4";
    plan.ranks = 8;
    plan.total_seconds = 41.2;
    HardwareSnapshot machine;
    for (int i = 0; i < 8; ++i) {
        const std::string id = "cuda:" + std::to_string(i);
        plan.devices.push_back(id);
        plan.shares.push_back(
            {id, 0, 0, static_cast<std::uint64_t>((20 + 0.1 * (i == 3 ? 34 : i)) * (1 << 30))});
        DeviceSummary device;
        device.id = id;
        device.total_bytes = std::uint64_t{80} << 30;
        machine.devices.push_back(device);
    }
    EXPECT_EQ(runLine(plan, "measured"), "CFG 2 × U 4, 8 GPUs · ≈ 41 s (±15 %)");
    EXPECT_EQ(runLine(plan, "assumed"), "CFG 2 × U 4, 8 GPUs · ≈ 41 s (modelled)");
    EXPECT_EQ(roomLine(plan, machine, job), "fullest rank ≈ 23.4 of 80 GiB · disk ≈ 6 MB");
    job.frames = 1;
    EXPECT_EQ(clipLine(job, 1560), "1 frame, a still image · 1 560 tokens");
}

TEST(OutcomeTest, ProblemNamesWhatIsNeededAndWhere) {
    Error error = errorWith(ErrorCode::MemoryTooSmall);
    error.arguments = {{"needed_bytes", std::uint64_t{31} << 30},
                       {"free_bytes", static_cast<std::uint64_t>(22.1 * (1 << 30))},
                       {"device", std::string("cuda:3")}};
    EXPECT_EQ(problemText(error), "Not possible: needs ≈ 31.0 GiB on GPU 3, 22.1 free");
}

TEST(OutcomeTest, DurationsAndMeshesInWords) {
    EXPECT_EQ(durationText(0.02), "0.1 s");
    EXPECT_EQ(durationText(9.23), "9.2 s");
    EXPECT_EQ(durationText(141), "2 min 21 s");
    EXPECT_EQ(durationText(7260), "2 h 1 min");
    EXPECT_EQ(meshWords("single"), "one rank");
    EXPECT_EQ(meshWords("cfg2,ulysses2,ring2,tp2"), "CFG 2 × U 2 × R 2 × TP 2");
}

} // namespace
} // namespace reelmesh
