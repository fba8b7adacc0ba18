#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QMimeData>
#include <QSignalSpy>

#include <cmath>
#include <random>

#include "app_fixture.h"
#include "models/job_list_model.h"
#include "models/job_text.h"

namespace reelmesh {
namespace {

constexpr int kManyJobs = 1000;
constexpr qint64 kLongestHandler_ms = 16 * 5; ///< five times the promise: a hang guard

class JobListModelTest : public ::testing::Test {
protected:
    /// Jobs that do not end by themselves within a test.
    static FakeScript slow() {
        FakeScript script;
        script.step_time = std::chrono::milliseconds(20);
        return script;
    }
    static JobRequest request(int seed, int steps = 1000) {
        JobRequest request = smallRequest();
        request.seed = static_cast<std::uint64_t>(seed);
        request.steps = steps;
        return request;
    }
    void open(const FakeScript& script = {}) {
        client_.open([this, script]() -> Result<std::unique_ptr<Engine>> {
            auto engine = std::make_unique<FakeEngine>(script);
            engine_ = engine.get();
            return std::unique_ptr<Engine>(std::move(engine));
        });
        ASSERT_TRUE(eventually([this] { return client_.state() == EngineClient::State::Ready; }));
    }
    QList<int> seeds(int from = 0) const {
        QList<int> seeds;
        for (int row = from; row < model_.rowCount(); ++row)
            seeds << static_cast<int>(*model_.job(row).request.seed);
        return seeds;
    }
    bool allNamed() const {
        for (int row = 0; row < model_.rowCount(); ++row)
            if (model_.job(row).id == 0) return false;
        return true;
    }
    bool runs(int seed) const {
        return model_.activeCount() == 1 && *model_.job(0).request.seed == static_cast<std::uint64_t>(seed);
    }
    /// What the engine will run, in its order.
    QList<int> engineSeeds() const {
        QList<int> seeds;
        for (const JobId id : engine_->pending())
            seeds << static_cast<int>(*engine_->resolved(id)->seed);
        return seeds;
    }

    EngineClient client_;
    FakeEngine* engine_ = nullptr;
    JobListModel model_{client_};
    QAbstractItemModelTester tester_{&model_, QAbstractItemModelTester::FailureReportingMode::Fatal};
};

TEST_F(JobListModelTest, JobsAddedBeforeTheEngineIsOpenRunInOrderOnceItIs) {
    model_.add({request(1, 2), request(2, 2)}, JobListModel::Place::Back);
    EXPECT_EQ(model_.waitingCount(), 2);
    EXPECT_EQ(model_.status().phase(), JobStatus::Phase::Starting);
    QList<std::uint64_t> started;
    QObject::connect(&model_, &JobListModel::jobStarted, &model_,
                     [&](const RunningJob& job) { started << *job.request.seed; });
    open();
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
    EXPECT_EQ(started, (QList<std::uint64_t>{1, 2}));
    // What ended last stands first.
    EXPECT_EQ(seeds(), (QList<int>{2, 1}));
    EXPECT_EQ(model_.job(0).state, JobState::Done);
    EXPECT_EQ(model_.status().phase(), JobStatus::Phase::Done);
}

TEST_F(JobListModelTest, MissingEngineFailsWhatWaitsAndWhatComes) {
    client_.open([]() -> Result<std::unique_ptr<Engine>> { return errorWith(ErrorCode::EngineLibrary); });
    model_.add({request(1)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    model_.add({request(2)}, JobListModel::Place::Back);
    EXPECT_EQ(model_.endedCount(), 2);
    EXPECT_EQ(model_.job(0).error.code, ErrorCode::EngineLibrary);
}

TEST_F(JobListModelTest, RandomSeedIsANumberInTheJob) {
    JobRequest random = request(1, 2);
    random.seed.reset();
    JobRequest largest = request(1, 2);
    largest.seed = std::numeric_limits<std::uint64_t>::max();
    open();
    model_.add({random, largest}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
    EXPECT_EQ(model_.job(0).request.seed, std::numeric_limits<std::uint64_t>::max());
    EXPECT_EQ(model_.job(0).report.seed, std::numeric_limits<std::uint64_t>::max());
    ASSERT_TRUE(model_.job(1).request.seed);
    EXPECT_EQ(model_.job(1).report.seed, *model_.job(1).request.seed);
}

TEST_F(JobListModelTest, TwoJobsOnTwoMeshesEachTellTheirPlan) {
    JobRequest first = request(1, 2), second = request(2, 2);
    first.mesh = "cfg2";
    second.mesh = "ulysses2";
    QStringList meshes;
    QObject::connect(&model_, &JobListModel::jobStarted, &model_,
                     [&](const RunningJob& job) { meshes << QString::fromStdString(job.plan.mesh); });
    open();
    model_.add({first, second}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
    EXPECT_EQ(meshes, (QStringList{"cfg2", "ulysses2"}));
}

TEST_F(JobListModelTest, OrderOfWaitingJobsIsTheEngines) {
    open(slow());
    model_.add({request(1), request(2), request(3), request(4)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return runs(1) && allNamed(); }));
    model_.move(3, 0);
    EXPECT_EQ(seeds(), (QList<int>{1, 4, 2, 3}));
    EXPECT_EQ(engineSeeds(), (QList<int>{4, 2, 3}));
    model_.moveDown(1);
    model_.moveUp(3);
    EXPECT_EQ(seeds(), (QList<int>{1, 2, 3, 4}));
    EXPECT_EQ(engineSeeds(), (QList<int>{2, 3, 4}));
    model_.add({request(5)}, JobListModel::Place::Front);
    ASSERT_TRUE(eventually([this] { return allNamed(); }));
    EXPECT_EQ(engineSeeds(), (QList<int>{5, 2, 3, 4}));
    // The running row is pinned.
    model_.move(0, 3);
    model_.moveDown(0);
    EXPECT_EQ(seeds(), (QList<int>{1, 5, 2, 3, 4}));
}

TEST_F(JobListModelTest, DroppedRowStandsWhereItWasDropped) {
    model_.add({request(1), request(2), request(3)}, JobListModel::Place::Back);
    const auto drop = [&](int from, int before) {
        const std::unique_ptr<QMimeData> data(model_.mimeData({model_.index(from)}));
        model_.dropMimeData(data.get(), Qt::MoveAction, before, 0, {});
    };
    drop(0, 3);
    EXPECT_EQ(seeds(), (QList<int>{2, 3, 1}));
    drop(2, 0);
    EXPECT_EQ(seeds(), (QList<int>{1, 2, 3}));
    drop(0, 1);
    EXPECT_EQ(seeds(), (QList<int>{1, 2, 3}));
    drop(0, 2);
    EXPECT_EQ(seeds(), (QList<int>{2, 1, 3}));
}

TEST_F(JobListModelTest, StoppingIsSaidAtOnceAndTheNextJobRuns) {
    open(slow());
    model_.add({request(1), request(2)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.activeCount() == 1 && model_.job(0).step >= 2; }));
    const int step = model_.job(0).step;
    model_.cancel(0);
    EXPECT_EQ(model_.job(0).stateText(), QString("Stopping… step %1").arg(step));
    EXPECT_EQ(model_.status().phase(), JobStatus::Phase::Stopping);
    ASSERT_TRUE(eventually([this] { return runs(2); }));
    EXPECT_EQ(model_.job(1).state, JobState::Canceled);
}

TEST_F(JobListModelTest, CancelReachesAJobWhereverItIs) {
    model_.add({request(1)}, JobListModel::Place::Back);
    model_.cancel(0); // the engine is not open
    EXPECT_EQ(model_.job(0).state, JobState::Canceled);
    open(slow());
    model_.add({request(2), request(3)}, JobListModel::Place::Back);
    model_.cancel(0); // on its way to the engine
    EXPECT_TRUE(model_.job(0).stopping);
    ASSERT_TRUE(eventually([this] { return runs(3); }));
    model_.pause(0);
    ASSERT_TRUE(eventually([this] { return model_.job(0).state == JobState::Paused; }));
    model_.cancel(0); // while it is paused
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 3; }));
    for (int row = 0; row < 3; ++row)
        EXPECT_EQ(model_.job(row).state, JobState::Canceled) << row;
}

TEST_F(JobListModelTest, PausedJobStandsUntilItIsResumed) {
    open(slow());
    model_.add({request(1, 6)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.activeCount() == 1 && model_.job(0).step >= 1; }));
    model_.pause(0);
    EXPECT_TRUE(model_.job(0).stateText().startsWith("Pausing…"));
    ASSERT_TRUE(eventually([this] { return model_.job(0).state == JobState::Paused; }));
    EXPECT_EQ(model_.status().phase(), JobStatus::Phase::Paused);
    const int step = model_.job(0).step;
    QTest::qWait(100);
    EXPECT_EQ(model_.job(0).step, step);
    model_.resume(0);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    EXPECT_EQ(model_.job(0).state, JobState::Done);
}

TEST_F(JobListModelTest, StopAndDecodeGivesAPartialClip) {
    open(slow());
    model_.add({request(1)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.activeCount() == 1 && model_.job(0).step >= 2; }));
    model_.stopAndDecode(0);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    EXPECT_EQ(model_.job(0).state, JobState::Done);
    EXPECT_TRUE(model_.job(0).report.partial);
    EXPECT_LT(model_.job(0).step, 1000);
}

TEST_F(JobListModelTest, HeldQueueStartsNoneAfterThisJob) {
    open(slow());
    model_.add({request(1, 4), request(2, 4)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return runs(1); }));
    model_.setHeld(true);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    QTest::qWait(100);
    EXPECT_EQ(model_.activeCount(), 0);
    EXPECT_FALSE(model_.isBusy());
    model_.setHeld(false);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
}

TEST_F(JobListModelTest, AfterAFailureTheQueueGoesOnOrIsHeld) {
    for (const auto what : {JobListModel::AfterFailure::Continue, JobListModel::AfterFailure::Pause}) {
        EngineClient client;
        JobListModel model(client);
        FakeScript script;
        script.failure = errorWith(ErrorCode::NotFinite);
        openFake(client, script);
        model.setAfterFailure(what);
        model.add({request(1, 3), request(2, 3)}, JobListModel::Place::Back);
        const bool goesOn = what == JobListModel::AfterFailure::Continue;
        ASSERT_TRUE(eventually([&] { return model.endedCount() == (goesOn ? 2 : 1); }));
        QTest::qWait(50);
        EXPECT_EQ(model.waitingCount(), goesOn ? 0 : 1);
        EXPECT_EQ(model.isHeld(), !goesOn);
        EXPECT_EQ(model.job(model.rowCount() - 1).error.code, ErrorCode::NotFinite);
    }
}

TEST_F(JobListModelTest, RefusedJobFailsAndTheOthersRun) {
    FakeScript script;
    script.refusal = errorWith(ErrorCode::MemoryTooSmall);
    open(script);
    QSignalSpy ended(&model_, &JobListModel::jobEnded);
    model_.add({request(1)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    EXPECT_EQ(model_.job(0).state, JobState::Failed);
    EXPECT_EQ(model_.job(0).error.code, ErrorCode::MemoryTooSmall);
    EXPECT_EQ(ended.size(), 1);
    EXPECT_FALSE(model_.status().isActive());
}

TEST_F(JobListModelTest, RetryDuplicateAndRemove) {
    open();
    model_.add({request(1, 2)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    model_.retry(0);
    EXPECT_EQ(model_.rowCount(), 1);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    model_.duplicate(0);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
    EXPECT_EQ(seeds(), (QList<int>{1, 1}));
    model_.remove(1);
    EXPECT_EQ(model_.rowCount(), 1);
    model_.clearFinished();
    EXPECT_EQ(model_.rowCount(), 0);
}

TEST_F(JobListModelTest, EngineForgetsWhatIsOverButForTheLast) {
    open();
    QList<JobRequest> jobs;
    for (int i = 0; i < 8; ++i)
        jobs << request(i, 2);
    model_.add(jobs, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 8; }));
    // The previews of the last job can still be walked through.
    EXPECT_TRUE(eventually([this] { return engine_->kept() == 1; }));
    model_.clearFinished();
    EXPECT_TRUE(eventually([this] { return engine_->kept() == 0; }));
}

TEST_F(JobListModelTest, ClipOfTheLastJobIsKeptOlderOnesAreReadFromTheirFile) {
    open();
    model_.add({request(1, 2), request(2, 2)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
    const auto fetch = [&](int row) {
        std::size_t frames = 0;
        bool answered = false;
        model_.fetchClip(model_.job(row).key, &model_, [&](const Result<MediaClip>& clip) {
            answered = true;
            if (clip) frames = clip->frames.size();
        });
        EXPECT_TRUE(eventually([&] { return answered; }));
        return frames;
    };
    EXPECT_EQ(fetch(0), 9U);
    EXPECT_EQ(fetch(1), 9U);
}

TEST_F(JobListModelTest, EachClipLeavesASmallPicture) {
    open();
    model_.add({request(1, 2), request(2, 2)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
    const QSize size = kThumbnailSize * std::ceil(qGuiApp->devicePixelRatio());
    for (int row : {0, 1}) {
        const QImage& picture = model_.job(row).thumbnail;
        EXPECT_EQ(picture.size(), size);
        EXPECT_LE(picture.sizeInBytes(), 3LL * size.width() * size.height());
    }
}

TEST_F(JobListModelTest, SummaryCountsTheBatchAndAddsTheTimes) {
    EXPECT_EQ(model_.summary(), "");
    open(slow());
    model_.add({request(1, 3), request(2, 1000)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return runs(1) && model_.job(0).step > 0; }));
    EXPECT_TRUE(model_.summary().startsWith("1 of 2 · this 0:0")) << model_.summary().toStdString();
    // The second one's time is the planner's, once it has answered.
    EXPECT_TRUE(eventually([this] { return model_.summary().contains("all 0:"); }))
        << model_.summary().toStdString();
    ASSERT_TRUE(eventually([this] { return runs(2) && model_.job(0).step > 0; }));
    EXPECT_TRUE(model_.title().endsWith("% — a ball")) << model_.title().toStdString();
    EXPECT_TRUE(model_.summary().startsWith("2 of 2")) << model_.summary().toStdString();
}

TEST_F(JobListModelTest, StatusFollowsTheQueueWhereNothingRuns) {
    model_.setHeld(true);
    model_.add({request(1)}, JobListModel::Place::Back);
    open();
    ASSERT_TRUE(eventually([this] { return model_.status().phase() == JobStatus::Phase::Pending; }));
    EXPECT_EQ(model_.title(), "");
    model_.clearWaiting();
    EXPECT_FALSE(model_.status().isActive());
}

TEST_F(JobListModelTest, RandomChangesKeepTheRowsWhole) {
    FakeScript script;
    script.step_time = std::chrono::milliseconds(1);
    open(script);
    std::mt19937 random(7);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<unsigned>(limit)); };
    for (int turn = 0; turn < 600; ++turn) {
        const int rows = model_.rowCount();
        switch (rows == 0 ? 0 : below(10)) {
        case 0:
        case 1: {
            QList<JobRequest> jobs;
            for (int i = 0, count = 1 + below(3); i < count; ++i)
                jobs << request(turn, 2 + below(3));
            model_.add(jobs, below(2) ? JobListModel::Place::Back : JobListModel::Place::Front);
            break;
        }
        case 2: model_.move(below(rows), below(rows)); break;
        case 3: model_.moveUp(below(rows)); break;
        case 4: model_.moveDown(below(rows)); break;
        case 5: model_.remove(below(rows)); break;
        case 6: model_.cancel(below(rows)); break;
        case 7: model_.retry(below(rows)); break;
        case 8: model_.duplicate(below(rows)); break;
        case 9: below(4) == 0 ? model_.clearFinished() : model_.stopAndDecode(below(rows)); break;
        }
        if (turn % 3 == 0) QTest::qWait(1);
        int active = 0, waiting = 0;
        for (int row = 0; row < model_.rowCount(); ++row) {
            const JobItem& job = model_.job(row);
            active += job.isActive() ? 1 : 0;
            waiting += job.isPending() ? 1 : 0;
            ASSERT_EQ(job.isActive(), row < model_.activeCount());
            ASSERT_EQ(job.hasEnded(), row >= model_.activeCount() + model_.waitingCount());
        }
        ASSERT_EQ(active, model_.activeCount());
        ASSERT_EQ(waiting, model_.waitingCount());
    }
    model_.clearWaiting();
    ASSERT_TRUE(eventually([this] { return model_.activeCount() + model_.waitingCount() == 0; }));
}

TEST(JobListModelLoadTest, ThousandJobsTakeNoLongHandler) {
    EngineClient client;
    // Without the tester, which looks at every row after every change.
    JobListModel model(client);
    FakeScript script;
    script.step_time = std::chrono::milliseconds(50);
    openFake(client, script);
    ASSERT_TRUE(eventually([&] { return client.state() == EngineClient::State::Ready; }));
    QElapsedTimer time;
    qint64 longest = 0;
    const auto timed = [&](auto&& action) {
        time.start();
        action();
        longest = std::max(longest, time.elapsed());
    };
    QList<JobRequest> jobs;
    for (int i = 0; i < kManyJobs; ++i) {
        jobs << smallRequest();
        jobs.last().seed = static_cast<std::uint64_t>(i);
        jobs.last().steps = 1000;
    }
    timed([&] { model.add(jobs, JobListModel::Place::Back); });
    // A loop of its own: qWaitFor sleeps between two looks, and there are a thousand replies.
    QEventLoop loop;
    QTimer::singleShot(kHangGuard_ms, &loop, &QEventLoop::quit);
    QObject::connect(&client, &EngineClient::submitted, &loop, [&] {
        if (model.job(model.rowCount() - 1).id != 0) loop.quit();
    });
    loop.exec();
    ASSERT_NE(model.job(kManyJobs - 1).id, 0U);
    timed([&] { model.move(model.rowCount() - 1, 0); });
    EXPECT_EQ(*model.job(model.activeCount()).request.seed, kManyJobs - 1U);
    timed([&] { model.clearWaiting(); });
    EXPECT_EQ(model.waitingCount(), 0);
    EXPECT_LE(longest, kLongestHandler_ms);
}

TEST(JobTextTest, FiguresAsTheyAreRead) {
    EXPECT_EQ(clockText(-1), "–");
    EXPECT_EQ(clockText(28.2), "0:29");
    EXPECT_EQ(clockText(141), "2:21");
    EXPECT_EQ(clockText(3600 * 2 + 300), "2 h 05 min");
    JobRequest request;
    EXPECT_EQ(sizeText(request), "–×–×–");
    request.prompt = "a\n red\tkite";
    EXPECT_EQ(promptLine(request), "a red kite");
}

} // namespace
} // namespace reelmesh
