// What lies over the picture: lists of shapes from a scripted run.
#include <cmath>

#include "overlays/overlay_set.h"
#include "viewer_fixture.h"
#include "widgets/video_view.h"

namespace reelmesh {
namespace {

constexpr std::int64_t kMs = 1'000'000;

TelemetryEvent event(EventKind kind, int rank, int step, std::int64_t span_ns, std::int64_t wait_ns = 0) {
    TelemetryEvent event;
    event.kind = kind;
    event.rank = static_cast<std::int16_t>(rank);
    event.step = step;
    event.end_ns = span_ns;
    event.wait_ns = wait_ns;
    return event;
}

TelemetryEvent chunk(int rank, int block) {
    TelemetryEvent done = event(EventKind::Block, rank, -1, kMs);
    done.work = EventWork::Vae;
    done.block = block;
    return done;
}

class OverlaysTest : public ::testing::Test {
protected:
    OverlaysTest() {
        job_.plan.mesh = "cfg2,ulysses2";
        job_.plan.ranks = 4;
        job_.plan.step_seconds = 0.9;
        job_.plan.memory.base = std::uint64_t(3) << 30;
        job_.plan.shares.resize(4);
        for (RankShare& share : job_.plan.shares)
            share.tokens = 16380;
        job_.plan.bands = {{0, 0, 128}, {1, 128, 112}, {2, 240, 128}, {3, 368, 112}};
        run_.begin(job_);
        state(Stage::Denoise);
    }
    void state(Stage stage) {
        run_.apply(JobStateChanged{.job = job_.id, .state = JobState::Running, .stage = stage});
    }
    void step(int number, double seconds = 0.95) {
        StepDone done{.job = job_.id, .step = number, .steps = 40, .seconds = seconds};
        done.rank_seconds = {0.9, 0.8, 0.7, 0.95};
        run_.apply(done);
    }
    QList<LayerShape> shapes(const QString& key, QRectF picture = {100, 50, 832, 480}, int frame = 0) {
        OverlaySet set(run_);
        set.setOn(key, true);
        return set.shapes({picture, picture, frame, 21, 0});
    }
    static const LayerShape* named(const QList<LayerShape>& shapes, const QString& name) {
        for (const LayerShape& shape : shapes)
            if (shape.name == name) return &shape;
        return nullptr;
    }
    static QStringList texts(const QList<LayerShape>& shapes) {
        QStringList texts;
        for (const LayerShape& shape : shapes)
            if (shape.kind == LayerShape::Kind::Text) texts << shape.text;
        return texts;
    }

    RunningJob job_ = runningJob();
    RunOverview run_;
};

TEST_F(OverlaysTest, NothingIsShownOfWhatIsNotKnown) {
    run_.begin(runningJob());
    for (const char* key : {"step", "traffic", "memory", "shard"})
        EXPECT_TRUE(shapes(key).isEmpty()) << key;
}

TEST_F(OverlaysTest, TheStepOverlaySaysTheLastTimeAndThePlannedOne) {
    for (int i = 0; i < 12; ++i)
        step(i, i == 3 ? 1.2 : 0.95);
    const auto list = shapes("step");
    EXPECT_TRUE(texts(list).contains("0.95 s"));
    EXPECT_TRUE(texts(list).contains("≈ 0.90 s"));
    int calm = 0, slow = 0;
    for (const LayerShape& shape : list) {
        calm += shape.kind == LayerShape::Kind::Bar && shape.tone == LayerShape::Tone::Accent;
        slow += shape.kind == LayerShape::Kind::Bar && shape.tone == LayerShape::Tone::Warning;
    }
    EXPECT_EQ(calm, 11);
    EXPECT_EQ(slow, 1);
}

TEST_F(OverlaysTest, TrafficIsOfTheLastStepOfEachRank) {
    run_.apply(job_.id, {event(EventKind::Exchange, 0, 4, 500 * kMs), event(EventKind::Step, 0, 4, 900 * kMs),
                         event(EventKind::Exchange, 0, 5, 60 * kMs, 20 * kMs),
                         event(EventKind::Exchange, 0, 5, 10 * kMs),
                         event(EventKind::Step, 0, 5, 1000 * kMs, 20 * kMs)});
    const RunOverview::RankTime time = run_.rankTimes()[0];
    EXPECT_NEAR(time.compute, 0.93, 1e-9);
    EXPECT_NEAR(time.comm, 0.05, 1e-9);
    EXPECT_NEAR(time.wait, 0.02, 1e-9);
    const auto list = shapes("traffic");
    ASSERT_NE(named(list, "traffic/r0"), nullptr);
    EXPECT_EQ(named(list, "traffic/r0")->text, "93 %");
    double compute = 0, comm = 0;
    for (const LayerShape& shape : list) {
        if (shape.kind != LayerShape::Kind::Lane || shape.rect.height() > 7) continue;
        if (shape.lane == Lane::Attention) compute = shape.rect.width();
        if (shape.lane == Lane::AllToAll) comm = shape.rect.width();
    }
    EXPECT_NEAR(comm / compute, 0.05 / 0.93, 1e-9);
}

TEST_F(OverlaysTest, WithoutTelemetryTheStepsOwnTimesAreUsed) {
    step(0);
    EXPECT_NEAR(run_.rankTimes()[2].compute, 0.7, 1e-9);
    EXPECT_NEAR(run_.rankTimes()[2].wait, 0.25, 1e-9);
}

TEST_F(OverlaysTest, BandBordersAreAtThePlansRowsUnevenHeightsToo) {
    state(Stage::Decode);
    for (const QRectF& picture :
         {QRectF(100, 50, 832, 480), QRectF(8, 8, 416, 240), QRectF(-300, -200, 1664, 960)}) {
        OverlaySet set(run_);
        set.setOn("shard", true);
        const auto list = set.shapes({picture, picture & QRectF(0, 0, 900, 600), 0, 21, 0});
        for (const DecodeBand& band : job_.plan.bands) {
            const LayerShape* line = named(list, QString("band%1").arg(band.rank));
            ASSERT_NE(line, nullptr);
            EXPECT_EQ(line->kind, LayerShape::Kind::Line);
            EXPECT_NEAR(line->rect.top(), picture.top() + picture.height() * double(band.first_row) / 480,
                        0.5);
            EXPECT_NEAR(line->rect.height(), picture.height() * double(band.rows) / 480, 0.01);
            EXPECT_EQ(line->rect.width(), picture.width());
        }
    }
}

TEST_F(OverlaysTest, ABandIsDoneDecodedOrWaitsForItsNeighbours) {
    EXPECT_EQ(run_.decodeState(0), RunOverview::DecodeState::Wait);
    state(Stage::Decode);
    EXPECT_EQ(run_.decodeState(0), RunOverview::DecodeState::Decode);
    run_.apply(job_.id, {chunk(0, 0), chunk(1, 0), chunk(2, 0), chunk(3, 0)});
    run_.apply(decodedFrames(job_, 0, 1));
    run_.apply(job_.id, {chunk(0, 1), chunk(1, 1)});
    EXPECT_EQ(run_.decodeState(1), RunOverview::DecodeState::Wait);
    EXPECT_EQ(run_.decodeState(2), RunOverview::DecodeState::Decode);
    run_.apply(decodedFrames(job_, 1, 4));
    EXPECT_NEAR(run_.decodedShare(3), 5.0 / 81, 1e-9);
    // A rank that is one chunk ahead has made four frames more.
    run_.apply(job_.id, {chunk(0, 2)});
    EXPECT_NEAR(run_.decodedShare(0), 9.0 / 81, 1e-9);
    for (int first = 5; first < 81; first += 4)
        run_.apply(decodedFrames(job_, first, 4));
    EXPECT_EQ(run_.decodeState(3), RunOverview::DecodeState::Done);
    const auto list = shapes("shard");
    EXPECT_EQ(named(list, "band3/state")->text, "done");
}

TEST_F(OverlaysTest, TokensAreDividedAsThePlanSharesThem) {
    job_.plan.shares[1].tokens = job_.plan.shares[3].tokens = 8190;
    run_.begin(job_);
    state(Stage::Denoise);
    const auto list = shapes("shard");
    ASSERT_NE(named(list, "tokens/share0"), nullptr);
    EXPECT_NEAR(named(list, "tokens/share0")->rect.width() / named(list, "tokens/share1")->rect.width(), 2,
                0.05);
    // One row a guidance branch.
    EXPECT_LT(named(list, "tokens/share1")->rect.bottom(), named(list, "tokens/share2")->rect.top() + 1);
    EXPECT_EQ(named(list, "tokens/share0")->rect.left(), named(list, "tokens/share2")->rect.left());
}

TEST_F(OverlaysTest, WhereARanksTokensEndIsDrawnInTheFrameThatHoldsThem) {
    // 21 frames of 30 × 52 tokens: half of them end in the middle of the eleventh frame.
    EXPECT_EQ(named(shapes("shard", {0, 0, 832, 480}, 9), "tokens/r1"), nullptr);
    const auto list = shapes("shard", {0, 0, 832, 480}, 10);
    ASSERT_NE(named(list, "tokens/r1"), nullptr);
    EXPECT_EQ(named(list, "tokens/r1")->text, "0,15");
    EXPECT_EQ(named(list, "tokens/r1")->rect.top(), 240);
}

TEST_F(OverlaysTest, MemoryIsThatOfTheProcessOrOfTheFullestDevice) {
    LoadSample sample;
    sample.machine.resident_bytes = double(std::uint64_t(2) << 30);
    sample.machine.limit_bytes = double(std::uint64_t(8) << 30);
    run_.apply(sample);
    EXPECT_EQ(named(shapes("memory"), "memory")->text, "2.0 / 8.0 GiB");
    EXPECT_TRUE(texts(shapes("memory")).contains("≈ 3.0, 2.0"));
    job_.plan.devices = {"cuda:0", "cuda:1"};
    run_.begin(job_);
    for (const auto& [id, gib] : {std::pair("cuda:0", 20), {"cuda:1", 30}, {"cuda:2", 70}}) {
        DeviceLoad device;
        device.id = id;
        device.memory_used_bytes = double(std::uint64_t(gib) << 30);
        device.memory_total_bytes = double(std::uint64_t(80) << 30);
        sample.devices.push_back(device);
    }
    run_.apply(sample);
    EXPECT_EQ(run_.memory().where, "cuda:1");
    EXPECT_EQ(named(shapes("memory"), "memory")->text, "30.0 / 80.0 GiB");
}

TEST_F(OverlaysTest, ChipsLieWithinThePictureAndApart) {
    step(0);
    LoadSample sample;
    sample.machine.resident_bytes = 1e9;
    run_.apply(sample);
    OverlaySet set(run_);
    set.setAll(true);
    for (const Stage stage : {Stage::Denoise, Stage::Decode}) {
        state(stage);
        for (const QRectF& picture :
             {QRectF(8, 8, 676, 390), QRectF(8, 60, 414, 239), QRectF(8, 8, 1164, 560)}) {
            QList<QRectF> chips;
            for (const LayerShape& shape : set.shapes({picture, picture, 0, 21, 30})) {
                if (shape.kind != LayerShape::Kind::Chip) continue;
                EXPECT_TRUE(picture.contains(shape.rect)) << shape.name.toStdString();
                for (const QRectF& other : chips)
                    EXPECT_FALSE(shape.rect.intersects(other)) << shape.name.toStdString();
                chips << shape.rect;
            }
            EXPECT_GE(chips.size(), 2);
        }
    }
}

TEST_F(OverlaysTest, EachIsSwitchedAloneAndNoneChangesThePictureItself) {
    step(0);
    LoadSample sample;
    sample.machine.resident_bytes = 1e9;
    run_.apply(sample);
    OverlaySet set(run_);
    VideoView view;
    view.resize(700, 420);
    view.pause();
    view.setClip(numberedClip(1, {832, 480}));
    view.setLayer(&set);
    const QImage without = view.grab().toImage();
    const QImage frame = view.currentImage().copy();
    for (const auto& overlay : set.overlays()) {
        set.setOn(overlay->key(), true);
        EXPECT_NE(view.grab().toImage(), without) << overlay->key().toStdString();
        EXPECT_EQ(view.currentImage(), frame);
        set.setOn(overlay->key(), false);
        EXPECT_EQ(view.grab().toImage(), without) << overlay->key().toStdString();
    }
    view.setLayer(nullptr);
}

} // namespace
} // namespace reelmesh
