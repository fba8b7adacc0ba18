#include <QAction>
#include <QElapsedTimer>
#include <QLabel>
#include <QScrollBar>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>

#include "app_fixture.h"
#include "models/job_list_model.h"
#include "panels/job_row_delegate.h"
#include "panels/queue_actions.h"
#include "panels/queue_panel.h"
#include "theme/style.h"
#include "widgets/notice_bar.h"

namespace reelmesh {
namespace {

class QueuePanelTest : public ::testing::Test {
protected:
    void show(const FakeScript& script) {
        openFake(client_, script);
        ASSERT_TRUE(eventually([this] { return client_.state() == EngineClient::State::Ready; }));
        panel_.resize(280, 400);
        panel_.show();
    }
    static FakeScript slow() {
        FakeScript script;
        script.step_time = std::chrono::milliseconds(20);
        return script;
    }
    static JobRequest request(const char* prompt, int steps = 1000) {
        JobRequest request = smallRequest();
        request.prompt = prompt;
        request.steps = steps;
        return request;
    }
    void choose(int row) { panel_.view().setCurrentIndex(model_.index(row, 0)); }
    QString prompts() const {
        QStringList prompts;
        for (int row = 0; row < model_.rowCount(); ++row)
            prompts << model_.index(row).data().toString();
        return prompts.join(' ');
    }
    template <class W>
    W& child(const char* name) {
        auto* found = panel_.findChild<W*>(name);
        EXPECT_NE(found, nullptr) << name;
        return *found;
    }

    EngineClient client_;
    JobListModel model_{client_};
    QAction add_{"Add"};
    QueuePanel panel_{model_, &add_};
};

TEST_F(QueuePanelTest, EmptyQueueSaysSoAndItsButtonAdds) {
    show({});
    EXPECT_FALSE(panel_.view().isVisible());
    EXPECT_EQ(child<QLabel>("emptySentence").text(), "Jobs wait here until they run");
    QSignalSpy added(&add_, &QAction::triggered);
    child<QToolButton>("emptyAction").click();
    child<QToolButton>("queueAdd").click();
    EXPECT_EQ(added.size(), 2);
    EXPECT_EQ(child<QLabel>("queueSummary").text(), "Queue empty");
}

TEST_F(QueuePanelTest, KeysReorderDuplicateRemoveAndPlay) {
    show(slow());
    model_.add({request("run"), request("a"), request("b")}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.activeCount() == 1; }));
    QTreeView& view = panel_.view();
    view.setFocus();
    choose(2);
    QTest::keyClick(&view, Qt::Key_Up, Qt::ControlModifier);
    EXPECT_EQ(prompts(), "run b a");
    QTest::keyClick(&view, Qt::Key_Down, Qt::ControlModifier);
    EXPECT_EQ(prompts(), "run a b");
    QTest::keyClick(&view, Qt::Key_D, Qt::ControlModifier);
    EXPECT_EQ(prompts(), "run a b b");
    QTest::keyClick(&view, Qt::Key_Delete);
    EXPECT_EQ(prompts(), "run a b");
    // The running job is pinned and stays.
    choose(0);
    QTest::keyClick(&view, Qt::Key_Down, Qt::ControlModifier);
    QTest::keyClick(&view, Qt::Key_Delete);
    EXPECT_EQ(prompts(), "run a b");
    EXPECT_EQ(panel_.actions().remove->toolTip(), "This job runs; cancel it first");
}

TEST_F(QueuePanelTest, EnterPlaysAFinishedJob) {
    show({});
    model_.add({request("a", 2)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    QSignalSpy played(&model_, &JobListModel::playRequested);
    choose(0);
    panel_.view().setFocus();
    QTest::keyClick(&panel_.view(), Qt::Key_Return);
    EXPECT_EQ(played.size(), 1);
}

TEST_F(QueuePanelTest, ChoiceStaysWithItsJobWhenTheRowMoves) {
    show(slow());
    model_.add({request("run", 4), request("a", 4), request("b")}, JobListModel::Place::Back);
    choose(1);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
    const QModelIndex chosen = panel_.view().currentIndex();
    EXPECT_EQ(chosen.data().toString(), "a");
}

TEST_F(QueuePanelTest, DisabledActionsSayWhy) {
    show(slow());
    EXPECT_FALSE(panel_.actions().top->isEnabled());
    EXPECT_EQ(panel_.actions().top->toolTip(), "Choose a job first");
    model_.add({request("run"), request("a")}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.activeCount() == 1 && model_.job(0).step > 0; }));
    choose(0);
    EXPECT_FALSE(panel_.actions().up->isEnabled());
    EXPECT_EQ(panel_.actions().up->toolTip(), "Only waiting jobs have an order");
    EXPECT_TRUE(panel_.actions().stopAndDecode->isEnabled());
    choose(1);
    EXPECT_EQ(panel_.actions().up->toolTip(), "This job is the next already");
    EXPECT_FALSE(panel_.actions().play->isEnabled());
}

TEST_F(QueuePanelTest, PauseAfterThisJobIsAToggle) {
    show(slow());
    model_.add({request("run", 3), request("a", 3)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.activeCount() == 1; }));
    child<QToolButton>("queuePauseAfter").click();
    EXPECT_TRUE(model_.isHeld());
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    EXPECT_TRUE(eventually([this] { return child<QLabel>("queueSummary").text().startsWith("held"); }));
    child<QToolButton>("queuePauseAfter").click();
    EXPECT_TRUE(eventually([this] { return model_.endedCount() == 2; }));
}

TEST_F(QueuePanelTest, FailureIsToldWithWhatCanBeDone) {
    FakeScript script;
    script.failure = errorWith(ErrorCode::DiskFull);
    script.failure.arguments = {{"file", std::string("/films/a.mp4")},
                                {"needed_bytes", std::uint64_t{6'000'000}},
                                {"free_bytes", std::uint64_t{3'100'000}}};
    show(script);
    model_.add({request("a kite", 2)}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return panel_.notice().isVisible(); }));
    EXPECT_TRUE(panel_.notice().text().contains("a kite")) << panel_.notice().text().toStdString();
    EXPECT_TRUE(panel_.notice().text().contains("/films/a.mp4"));
    EXPECT_EQ(child<QToolButton>("noticeAction1").text(), "Folder…");
    auto& retry = child<QToolButton>("noticeAction2");
    EXPECT_EQ(retry.text(), "Retry");
    retry.click();
    EXPECT_FALSE(panel_.notice().isVisible());
    EXPECT_TRUE(eventually([this] { return panel_.notice().isVisible(); }));
    EXPECT_EQ(model_.rowCount(), 1);
}

TEST_F(QueuePanelTest, ThousandRowsAreAddedScrolledMovedAndClearedWithoutALongHandler) {
    constexpr qint64 kLongest_ms = 16 * 5; // five times the promise: a hang guard
    constexpr int kJobs = 1000;
    show(slow());
    QList<JobRequest> jobs;
    for (int i = 0; i < kJobs; ++i)
        jobs << request("a small sailing boat crosses a calm bay at night");
    qint64 longest = 0;
    const auto timed = [&](auto&& action) {
        QElapsedTimer time;
        time.start();
        action();
        panel_.view().viewport()->repaint();
        longest = std::max(longest, time.elapsed());
    };
    timed([&] { model_.add(jobs, JobListModel::Place::Back); });
    ASSERT_TRUE(eventually([this] { return model_.activeCount() == 1; }));
    QScrollBar& bar = *panel_.view().verticalScrollBar();
    ASSERT_GT(bar.maximum(), 40'000);
    for (int at = 0; at <= bar.maximum(); at += bar.maximum() / 50)
        timed([&] { bar.setValue(at); });
    timed([&] { model_.move(kJobs - 1, 0); });
    timed([&] { model_.clearWaiting(); });
    EXPECT_LE(longest, kLongest_ms);
    EXPECT_EQ(model_.rowCount(), 1);
}

TEST_F(QueuePanelTest, LongTextsAreElidedAndToldInFull) {
    show(slow());
    const std::string prompt(3000, 'w');
    model_.add({request(prompt.c_str())}, JobListModel::Place::Back);
    EXPECT_GT(model_.index(0).data(Qt::ToolTipRole).toString().size(), 1000);
    EXPECT_FALSE(panel_.grab().isNull());
}

/// REELMESH_PICTURES: a folder to keep the pictures in, to look at them.
TEST_F(QueuePanelTest, EveryStateIsDrawnInBothThemesAndWidths) {
    const QString folder = qEnvironmentVariable("REELMESH_PICTURES");
    const auto save = [&](const char* name) {
        for (const Theme theme : {Theme::Dark, Theme::Light})
            for (const QSize size : {QSize(280, 300), QSize(420, 400)}) {
                applyTheme(*qApp, theme);
                panel_.resize(size);
                QTest::qWait(20);
                EXPECT_EQ(panel_.width(), size.width()) << "the panel asks for more room";
                const QPixmap picture = panel_.grab();
                if (folder.isEmpty()) continue;
                picture.save(QString("%1/%2-%3-%4.png")
                                 .arg(folder, name)
                                 .arg(size.width())
                                 .arg(theme == Theme::Dark ? "dark" : "light"));
            }
        applyTheme(*qApp, Theme::Dark);
    };
    show(slow());
    save("empty");
    JobRequest first = request("A red kite loops between clouds", 3), wide = first;
    model_.add({first}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 1; }));
    wide.prompt = "A small sailing boat with lit portholes crosses a calm bay at night";
    wide.width = 832, wide.height = 480, wide.frames = 81, wide.steps = 40, wide.mesh = "cfg2,ulysses4";
    JobRequest waits = wide;
    waits.prompt = "A green balloon over fresh snow";
    model_.add({wide, waits, waits}, JobListModel::Place::Back);
    ASSERT_TRUE(eventually([this] { return model_.activeCount() == 1 && model_.job(0).step >= 12; }));
    choose(2);
    save("running");
    model_.cancel(0);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 2 && model_.job(0).step > 2; }));
    model_.stopAndDecode(0);
    model_.setHeld(true);
    ASSERT_TRUE(eventually([this] { return model_.endedCount() == 3; }));
    save("ended");
    Error full = errorWith(ErrorCode::DiskFull);
    full.arguments = {{"file", std::string("/films/a.mp4")},
                      {"needed_bytes", std::uint64_t{6'000'000}},
                      {"free_bytes", std::uint64_t{3'100'000}}};
    Q_EMIT model_.jobEnded(1, JobState::Failed, {}, full);
    save("failed");
}

} // namespace
} // namespace reelmesh
