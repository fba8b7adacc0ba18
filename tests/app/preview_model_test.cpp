// What the viewer plays: previews by step, frames as they are decoded, clips opened again, and B.
#include <QSignalSpy>

#include "viewer_fixture.h"

namespace reelmesh {
namespace {

using State = PreviewModel::FrameState;

class PreviewModelTest : public ::testing::Test {
protected:
    void preview(int step) {
        store_.keep(step);
        model_.apply(PreviewReady{job_.id, step});
    }
    void decode(int first, int count) { model_.apply(decodedFrames(job_, first, count)); }
    int value(int frame) { return model_.frames()[frame].pixelColor(0, 0).red(); }

    PreviewModel model_;
    PreviewStore store_{model_};
    const RunningJob job_ = runningJob();
};

TEST_F(PreviewModelTest, PreviewsFollowTheJobAndSayTheirStep) {
    model_.begin(job_);
    EXPECT_EQ(model_.content(), PreviewModel::Content::Nothing);
    for (int step = 0; step < 12; ++step)
        preview(step);
    EXPECT_EQ(model_.badge(), "step 12/40, preview");
    EXPECT_EQ(model_.frames().size(), 21);
    EXPECT_EQ(model_.totalFrames(), 81);
    EXPECT_EQ(value(0), 12);
    // Picture 5 of 21 stands for frame 17 of 81.
    EXPECT_EQ(model_.frameNumber(4), 17);
    EXPECT_EQ(model_.frameNumber(20), 81);
    for (const auto& [number, index] : {std::pair(1, 0), {2, 1}, {5, 1}, {17, 4}, {81, 20}})
        EXPECT_EQ(model_.indexOf(number), index) << number;
    EXPECT_EQ(model_.timeSpans(), (QList<PreviewModel::TimeSpan>{{State::Preview, 1, 81}}));
}

TEST_F(PreviewModelTest, LookingBackStaysWhereItIsWhileTheJobRunsOn) {
    model_.begin(job_);
    for (int step = 0; step < 12; ++step)
        preview(step);
    model_.chooseStep(0);
    EXPECT_EQ(model_.badge(), "step 1/40, preview");
    EXPECT_EQ(value(0), 1);
    preview(12);
    EXPECT_EQ(model_.badge(), "step 1/40, preview");
    EXPECT_EQ(model_.keptSteps().last(), 12);
    model_.chooseStep(12);
    EXPECT_TRUE(model_.isLive());
    preview(13);
    EXPECT_EQ(model_.badge(), "step 14/40, preview");
}

TEST_F(PreviewModelTest, ADroppedStepGivesTheNearestKeptOneBefore) {
    model_.begin(job_);
    for (int step = 0; step < 8; ++step)
        preview(step);
    for (int step : {1, 3})
        store_.drop(step);
    preview(8);
    EXPECT_EQ(model_.keptSteps(), (QList<int>{0, 2, 4, 5, 6, 7, 8}));
    model_.chooseStep(3);
    EXPECT_EQ(model_.shownStep(), 2);
    model_.moveStep(1);
    EXPECT_EQ(model_.shownStep(), 4);
    model_.moveStep(-1);
    model_.moveStep(-1);
    EXPECT_EQ(model_.shownStep(), 0);
    model_.moveStep(-1);
    EXPECT_EQ(model_.shownStep(), 0);
}

TEST_F(PreviewModelTest, DecodedFramesTakeThePreviewsPlaceAsTheyCome) {
    model_.begin(job_);
    preview(39);
    model_.apply(JobStateChanged{.job = job_.id, .state = JobState::Running, .stage = Stage::Decode});
    EXPECT_EQ(model_.content(), PreviewModel::Content::Preview);
    decode(0, 1);
    EXPECT_EQ(model_.content(), PreviewModel::Content::Decoded);
    EXPECT_EQ(model_.badge(), "decoding 1/21");
    for (int first = 1; first < 33; first += 4)
        decode(first, 4);
    EXPECT_EQ(model_.badge(), "decoding 9/21");
    EXPECT_EQ(model_.timeSpans(),
              (QList<PreviewModel::TimeSpan>{{State::Decoded, 1, 33}, {State::Decoding, 34, 4}}));
    EXPECT_TRUE(model_.note().contains("loop covers 001–033")) << model_.note().toStdString();
    EXPECT_TRUE(model_.note().startsWith("first frame after"));
    EXPECT_FALSE(model_.isComplete());
    EXPECT_EQ(model_.framesPerSecond(), 16);
    for (int first = 33; first < 81; first += 4)
        decode(first, 4);
    EXPECT_EQ(model_.badge(), "");
    EXPECT_EQ(model_.note(), "");
    EXPECT_TRUE(model_.isComplete());
    EXPECT_EQ(value(80), 81);
}

TEST_F(PreviewModelTest, TheBadgeCountsTheBands) {
    RunningJob job = job_;
    job.plan.bands = {{0, 0, 240}, {1, 240, 240}};
    model_.begin(job);
    preview(39);
    decode(0, 1);
    EXPECT_EQ(model_.badge(), "decoding 1/21, 2 bands");
}

TEST_F(PreviewModelTest, AnEarlierStepCanBeSeenWhileFramesAreDecoded) {
    model_.begin(job_);
    preview(0);
    preview(1);
    decode(0, 1);
    model_.chooseStep(0);
    decode(1, 4);
    EXPECT_EQ(model_.badge(), "step 1/40, preview");
    model_.chooseStep(39);
    EXPECT_EQ(model_.frames().size(), 5);
}

TEST_F(PreviewModelTest, ACanceledDecodeIsNotSaidToGoOn) {
    model_.begin(job_);
    preview(39);
    decode(0, 1);
    model_.apply(JobStateChanged{.job = job_.id, .state = JobState::Canceled});
    EXPECT_EQ(model_.badge(), "1/21 decoded");
    EXPECT_EQ(model_.timeSpans().size(), 1);
}

TEST_F(PreviewModelTest, AJobEndedEarlyIsPartialAndItsFileKnown) {
    model_.begin(job_);
    decode(0, 81);
    JobStateChanged done{.job = job_.id, .state = JobState::Done};
    done.report.partial = true;
    done.report.output = "/films/a.mp4";
    model_.apply(done);
    EXPECT_EQ(model_.badge(), "partial");
    EXPECT_EQ(model_.path(), "/films/a.mp4");
}

TEST_F(PreviewModelTest, OtherJobsAreNotShown) {
    model_.begin(job_);
    RunningJob other = runningJob(81, 40, 8);
    model_.apply(decodedFrames(other, 0, 1));
    model_.apply(PreviewReady{other.id, 0});
    model_.apply(StepDone{.job = other.id, .step = 3, .steps = 4});
    EXPECT_EQ(model_.content(), PreviewModel::Content::Nothing);
    EXPECT_EQ(model_.steps(), 40);
}

TEST_F(PreviewModelTest, AJobUnderWayIsShownAtItsNewestStep) {
    for (int step = 0; step < 5; ++step)
        store_.keep(step);
    model_.begin(job_);
    EXPECT_EQ(model_.badge(), "step 5/40, preview");
    EXPECT_EQ(model_.keptSteps().size(), 5);
}

TEST_F(PreviewModelTest, AFinishedClipIsOpenedAgainWhileTheJobIsCollectedOn) {
    model_.begin(job_);
    preview(3);
    JobRequest request = smallRequest();
    request.seed = 1874203556;
    model_.showClip({plain({8, 8}, Qt::red), plain({8, 8}, Qt::blue)}, 24, "night", "/films/night.mp4",
                    request);
    EXPECT_TRUE(model_.isComplete());
    EXPECT_EQ(model_.clip().label, "night, seed 1874203556");
    EXPECT_EQ(model_.framesPerSecond(), 24);
    EXPECT_EQ(model_.path(), "/films/night.mp4");
    EXPECT_TRUE(model_.keptSteps().isEmpty());
    preview(4);
    decode(0, 1);
    decode(1, 4);
    EXPECT_EQ(model_.frames().size(), 2);
    EXPECT_EQ(model_.badge(), "");
    model_.showJob();
    EXPECT_EQ(model_.frames().size(), 5);
    EXPECT_EQ(model_.badge(), "decoding 2/21");
}

TEST_F(PreviewModelTest, FramesWithAHoleBeforeThemAreNotPlayed) {
    model_.begin(job_);
    decode(1, 4);
    EXPECT_EQ(model_.content(), PreviewModel::Content::Nothing);
    decode(0, 1);
    decode(1, 4);
    EXPECT_EQ(model_.frames().size(), 5);
}

TEST_F(PreviewModelTest, TheStepInViewStaysWhenTheEngineDropsIt) {
    model_.begin(job_);
    for (int step = 0; step < 3; ++step)
        preview(step);
    model_.chooseStep(1);
    store_.drop(1);
    preview(3);
    EXPECT_EQ(model_.badge(), "step 2/40, preview");
    EXPECT_EQ(value(0), 2);
}

TEST_F(PreviewModelTest, BStaysWhateverBecomesOfA) {
    model_.begin(job_);
    preview(0);
    QSignalSpy pinned(&model_, &PreviewModel::pinnedChanged);
    model_.pin();
    preview(1);
    model_.clear();
    ASSERT_EQ(pinned.size(), 1);
    ASSERT_TRUE(model_.pinned());
    EXPECT_EQ(model_.pinned()->label, "step 1/40");
    EXPECT_EQ(model_.pinned()->frames.size(), 21);
    model_.unpin();
    EXPECT_FALSE(model_.pinned());
}

TEST_F(PreviewModelTest, AClipTooLargeForMemoryIsKeptAtHalfTheResolutionAndSaysSo) {
    RunningJob job = runningJob(9);
    model_.setMostBytes(9 * 64 * 32 * 3 - 1);
    model_.begin(job);
    for (int first : {0, 1, 5})
        model_.apply(decodedFrames(job, first, first == 0 ? 1 : 4, {64, 32}));
    ASSERT_TRUE(eventually([&] { return model_.frames().size() == 9; }));
    EXPECT_EQ(model_.frames()[8].size(), QSize(32, 16));
    EXPECT_EQ(value(8), 9);
    EXPECT_EQ(model_.divisor(), 2);
    EXPECT_TRUE(model_.note().contains("1/2 of the resolution")) << model_.note().toStdString();
    EXPECT_EQ(model_.clip().size, QSize(832, 480));
}

TEST_F(PreviewModelTest, ReducedFramesOfAnEarlierJobAreThrownAway) {
    RunningJob job = runningJob(9);
    model_.setMostBytes(1000);
    model_.begin(job);
    model_.apply(decodedFrames(job, 0, 9, {64, 32}));
    model_.begin(runningJob(9, 40, 9));
    QTest::qWait(50);
    EXPECT_EQ(model_.content(), PreviewModel::Content::Nothing);
}

TEST_F(PreviewModelTest, DecodedFramesShareTheEnginesBytes) {
    model_.begin(job_);
    const FramesDecoded event = decodedFrames(job_, 0, 1);
    model_.apply(event);
    EXPECT_EQ(model_.frames()[0].constBits(), event.frames[0].row(0));
}

TEST_F(PreviewModelTest, WithoutPreviewsItSaysWhyThereIsNoPicture) {
    RunningJob job = job_;
    job.request.preview = "off";
    model_.begin(job);
    EXPECT_TRUE(model_.waiting().contains("off"));
    model_.apply(decodedFrames(job, 0, 1));
    EXPECT_EQ(model_.waiting(), "");
}

} // namespace
} // namespace reelmesh
