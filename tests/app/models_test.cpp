#include <QAbstractItemModelTester>

#include "app_fixture.h"
#include "models/job_status.h"
#include "models/request_draft.h"

namespace reelmesh {
namespace {

TEST(RequestDraftTest, LoadsAPresetAndKeepsTheOutputFolder) {
    RequestDraft draft;
    draft.setOutputFolder("/films");
    const auto loaded = draft.load(R"({"prompt":"a ball","width":128,"height":64,"frames":17,"fps":"16",
        "steps":16,"seed":"18446744073709551615"})",
                                   "preset.json");
    ASSERT_TRUE(loaded) << error_message(loaded.error());
    EXPECT_EQ(draft.prompt(), "a ball");
    EXPECT_EQ(draft.request().output.path, "/films");
    EXPECT_EQ(draft.request().seed, 18446744073709551615U);
    EXPECT_EQ(draft.request().frames, 17);
}

TEST(RequestDraftTest, DamagedPresetChangesNothing) {
    RequestDraft draft;
    draft.setPrompt("kept");
    EXPECT_FALSE(draft.load("{\"prompt\":", "preset.json"));
    EXPECT_EQ(draft.prompt(), "kept");
}

TEST(JobStatusTest, WordsOfARun) {
    JobStatus status;
    EXPECT_FALSE(status.isActive());
    status.begin(JobStatus::Phase::Checking);
    EXPECT_TRUE(status.isActive());
    status.apply(JobStateChanged{.state = JobState::Running, .stage = Stage::Load});
    EXPECT_EQ(status.stageText(), "Load model");
    EXPECT_EQ(status.remainingText(), "–");
    status.apply(StepDone{.step = 11, .steps = 16, .seconds = 0.95, .remaining_seconds = 28.2});
    EXPECT_EQ(status.stageText(), "Denoise 12/16");
    EXPECT_EQ(status.rateText(), "0.95 s/step");
    EXPECT_EQ(status.remainingText(), "0:29 left");
    EXPECT_DOUBLE_EQ(status.fractions()[0], 1);
    EXPECT_DOUBLE_EQ(status.fractions()[1], 0.75);
    JobStateChanged done{.state = JobState::Done, .stage = Stage::Write};
    done.report.timings.denoise = 3.25;
    status.apply(done);
    EXPECT_EQ(status.stageText(), "Done");
    EXPECT_EQ(status.remainingText(), "took 3.3 s");
    for (double fraction : status.fractions())
        EXPECT_DOUBLE_EQ(fraction, 1);
}

TEST(JobStatusTest, LateNewsDoNotTakeStoppingBack) {
    JobStatus status;
    status.begin(JobStatus::Phase::Checking);
    status.setPhase(JobStatus::Phase::Stopping);
    status.apply(JobStateChanged{.state = JobState::Running, .stage = Stage::Denoise});
    status.apply(StepDone{.step = 1, .steps = 4});
    EXPECT_EQ(status.stageText(), "Stopping…");
    status.apply(JobStateChanged{.state = JobState::Canceled});
    EXPECT_EQ(status.stageText(), "Cancelled");
    EXPECT_FALSE(status.isActive());
}

} // namespace
} // namespace reelmesh
