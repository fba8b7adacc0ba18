// The whole window on the fake engine, without a screen.
#include <QAction>
#include <QClipboard>
#include <QDockWidget>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTemporaryDir>
#include <QToolButton>
#include <QTreeView>

#include "app_fixture.h"
#include "bridge/engine_library.h"
#include "models/session.h"
#include "options.h"
#include "shell/ui_map.h"
#include "shell/workstation.h"
#include "widgets/notice_bar.h"
#include "widgets/video_view.h"

namespace reelmesh {
namespace {

class WindowTest : public ::testing::Test {
protected:
    void start(const FakeScript& script) {
        session_.begin();
        session_.draft.setPrompt(QString::fromStdString(smallRequest().prompt));
        session_.draft.setOutputFolder(folder_.path());
        window_.show();
        openFake(client_, script);
        ASSERT_TRUE(eventually([this] {
            return session_.draft.rules() && session_.plan.isCurrent() && session_.canGenerate();
        }));
    }
    template <class Widget>
    Widget& get(const char* name) {
        auto* widget = window_.findChild<Widget*>(name);
        EXPECT_NE(widget, nullptr) << name;
        return *widget;
    }
    QString stage() { return get<QLabel>("statusStage").text(); }
    void act(Act which) { workstation_.actions()[which].trigger(); }
    auto stageIs(const QString& text) {
        return eventually([this, text] { return stage() == text; });
    }
    NoticeBar& notice() { return *get<QWidget>("viewer").findChild<NoticeBar*>(); }
    /// Closes the window while a job of such steps denoises; quit_ says whether it may go.
    template <class Duration>
    void closeInAStepOf(Duration step) {
        start({.step_time = step});
        QObject::connect(&workstation_, &Workstation::quitConfirmed, [this] { quit_ = true; });
        act(Act::Generate);
        ASSERT_TRUE(eventually([this] { return stage().startsWith("Denoise"); }));
        window_.close();
    }

    QTemporaryDir folder_;
    EngineClient client_;
    Settings settings_;
    Session session_{client_, settings_, {}};
    Workstation workstation_{session_};
    MainWindow& window_ = workstation_.window();
    bool quit_ = false;
};

TEST_F(WindowTest, GenerateEndsWithAPlayingClipAndASavedFile) {
    start({.write_file = true});
    get<QToolButton>("actGenerate").click();
    ASSERT_TRUE(stageIs("Done"));
    auto& video = get<VideoView>("viewerVideo");
    EXPECT_TRUE(video.isVisible());
    const QString before = get<QLabel>("viewerFrame").text();
    EXPECT_TRUE(eventually([&] { return get<QLabel>("viewerFrame").text() != before; }));
    EXPECT_EQ(notice().kind(), NoticeBar::Kind::Done);
    EXPECT_TRUE(notice().text().contains(folder_.path())) << notice().text().toStdString();
    EXPECT_EQ(session_.jobs.rowCount(), 1);
    EXPECT_EQ(session_.run.stepSeconds().size(), session_.jobs.job(0).steps);
    EXPECT_TRUE(workstation_.actions()[Act::Export].isEnabled());
    EXPECT_FALSE(workstation_.actions()[Act::Cancel].isEnabled());
}

TEST_F(WindowTest, ButtonSaysHowManyJobsItMakes) {
    start({.step_time = std::chrono::milliseconds(5)});
    session_.draft.setCount(3);
    EXPECT_EQ(get<QToolButton>("actGenerate").text(), "Generate 3");
    act(Act::Generate);
    EXPECT_EQ(session_.jobs.rowCount(), 3);
    EXPECT_TRUE(eventually([&] { return !session_.jobs.isBusy(); }));
    EXPECT_EQ(session_.jobs.endedCount(), 3);
}

TEST_F(WindowTest, TwoJobsMayDifferInMesh) {
    start({.step_time = std::chrono::milliseconds(5)});
    session_.meshChoice.setText("cfg2");
    ASSERT_TRUE(eventually([this] { return session_.plan.isCurrent() && session_.canGenerate(); }));
    act(Act::Generate);
    session_.meshChoice.setText("single");
    ASSERT_TRUE(eventually([this] { return session_.plan.isCurrent() && session_.canGenerate(); }));
    act(Act::Generate);
    ASSERT_TRUE(eventually([&] { return session_.jobs.endedCount() == 2; }));
    EXPECT_EQ(session_.jobs.job(1).request.mesh, "cfg2");
    EXPECT_EQ(session_.jobs.job(0).request.mesh, "single");
}

TEST_F(WindowTest, IllegalDraftIsNotQueuedAndLeadsToItsCause) {
    start({});
    session_.draft.setField("frames", "80");
    ASSERT_FALSE(session_.draft.isLegal());
    act(Act::Generate);
    EXPECT_EQ(session_.jobs.rowCount(), 0);
    const QWidget* focused = QApplication::focusWidget();
    ASSERT_NE(focused, nullptr);
    EXPECT_TRUE(get<QDockWidget>("dockParameters").isAncestorOf(focused))
        << focused->objectName().toStdString();
}

TEST_F(WindowTest, QueueOnlyWaitsForStart) {
    start({});
    act(Act::AddToQueue);
    QTest::qWait(50);
    EXPECT_EQ(session_.jobs.waitingCount(), 1);
    EXPECT_EQ(workstation_.actions()[Act::Pause].text(), "Start");
    act(Act::Pause);
    EXPECT_TRUE(eventually([&] { return session_.jobs.endedCount() == 1; }));
}

TEST_F(WindowTest, CancelSaysStoppingAtOnceAndThenCancelled) {
    start({.step_time = std::chrono::milliseconds(500)});
    act(Act::Generate);
    ASSERT_TRUE(eventually([&] { return stage().startsWith("Denoise"); }));
    act(Act::Cancel);
    EXPECT_EQ(stage(), "Stopping…");
    EXPECT_FALSE(workstation_.actions()[Act::Cancel].isEnabled());
    ASSERT_TRUE(stageIs("Cancelled"));
    act(Act::Generate);
    EXPECT_TRUE(eventually([&] { return stage().startsWith("Denoise"); }));
}

TEST_F(WindowTest, PausedJobGoesOn) {
    start({.step_time = std::chrono::milliseconds(30)});
    act(Act::Generate);
    ASSERT_TRUE(eventually([&] { return stage().startsWith("Denoise"); }));
    act(Act::Pause);
    ASSERT_TRUE(eventually([&] { return session_.jobs.job(0).state == JobState::Paused; }));
    EXPECT_EQ(workstation_.actions()[Act::Pause].text(), "Resume");
    act(Act::Pause);
    EXPECT_TRUE(stageIs("Done"));
}

TEST_F(WindowTest, StopAndDecodeGivesAPartialClip) {
    start({.step_time = std::chrono::milliseconds(60)});
    act(Act::Generate);
    ASSERT_TRUE(eventually([&] { return workstation_.actions()[Act::StopAndDecode].isEnabled(); }));
    act(Act::StopAndDecode);
    ASSERT_TRUE(stageIs("Done"));
    EXPECT_TRUE(session_.jobs.job(0).report.partial);
    EXPECT_TRUE(session_.preview.isPartial());
}

TEST_F(WindowTest, MissingEngineIsANotice) {
    session_.begin();
    window_.show();
    client_.open([] { return openEngineLibrary({"/no/engine.so"}); });
    ASSERT_TRUE(
        eventually([&] { return notice().isVisible() && notice().text().contains("/no/engine.so"); }));
}

TEST_F(WindowTest, FailureInAStepKeepsTheWindowUsable) {
    start({.failure = errorWith(ErrorCode::NotFinite), .fail_at_step = 2});
    act(Act::Generate);
    ASSERT_TRUE(stageIs("Failed"));
    auto& told = *get<QDockWidget>("dockQueue").findChild<NoticeBar*>();
    EXPECT_TRUE(told.isVisible());
    EXPECT_TRUE(told.text().contains(QString::fromStdString(error_message(errorWith(ErrorCode::NotFinite)))))
        << told.text().toStdString();
    EXPECT_TRUE(workstation_.actions()[Act::Generate].isEnabled());
}

TEST_F(WindowTest, ClosingDuringAJobAsksInPlace) {
    closeInAStepOf(std::chrono::hours(1));
    EXPECT_TRUE(window_.isVisible());
    EXPECT_FALSE(quit_);
    notice().findChild<QToolButton*>("noticeAction1")->click();
    EXPECT_TRUE(quit_);
}

TEST_F(WindowTest, QuestionWhetherToQuitIsMootWhenTheJobIsOver) {
    closeInAStepOf(std::chrono::milliseconds(30));
    EXPECT_FALSE(quit_);
    EXPECT_TRUE(eventually([&] { return quit_; }));
    EXPECT_EQ(session_.jobs.endedCount(), 1);
}

TEST_F(WindowTest, WhoStaysStays) {
    closeInAStepOf(std::chrono::milliseconds(30));
    notice().findChild<QToolButton*>("noticeAction2")->click();
    ASSERT_TRUE(stageIs("Done"));
    QTest::qWait(50);
    EXPECT_FALSE(quit_);
}

TEST_F(WindowTest, ControlEnterInThePromptIsOneJobAndEnterIsALine) {
    start({.step_time = std::chrono::milliseconds(50)});
    QApplication::setActiveWindow(&window_);
    auto& prompt = get<QPlainTextEdit>("promptText");
    prompt.setFocus();
    prompt.clear();
    QTest::keyClicks(&prompt, "a");
    QTest::keyClick(&prompt, Qt::Key_Return);
    QTest::keyClicks(&prompt, "b");
    EXPECT_EQ(session_.draft.request().prompt, "a\nb");
    EXPECT_EQ(session_.jobs.rowCount(), 0);
    ASSERT_TRUE(eventually([this] { return session_.canGenerate(); }));
    QTest::keyClick(&prompt, Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(session_.jobs.rowCount(), 1);
    EXPECT_EQ(session_.draft.request().prompt, "a\nb");
}

TEST_F(WindowTest, SelectedRankIsTheSameInMeshAndDevices) {
    start({.step_time = std::chrono::milliseconds(20)});
    act(Act::Generate);
    ASSERT_TRUE(eventually([&] { return !session_.mesh.scene().cards.empty(); }));
    session_.focus.setRank(0);
    EXPECT_EQ(session_.focus.rank(), 0);
    EXPECT_TRUE(stageIs("Done"));
}

/// What a person would call clipped, of all texts that do not wrap and do not elide on purpose.
void expectNothingClipped(MainWindow& window) {
    const QRect screen(window.mapToGlobal(QPoint()), window.size());
    for (const QWidget* widget : window.findChildren<QWidget*>()) {
        if (!widget->isVisible() || widget->window() != &window || widget->visibleRegion().isEmpty())
            continue;
        const auto* label = qobject_cast<const QLabel*>(widget);
        const bool isText = (label && !label->wordWrap()) || qobject_cast<const QToolButton*>(widget);
        if (!isText || (label && label->text().isEmpty())) continue;
        // Those give way and tell the rest in their tooltip.
        if (widget->sizePolicy().horizontalPolicy() == QSizePolicy::Ignored) continue;
        const QString name = widget->objectName() + " '" + widget->property("text").toString() + "' in " +
                             widget->parentWidget()->metaObject()->className();
        EXPECT_GE(widget->width(), widget->minimumSizeHint().width()) << name.toStdString();
        EXPECT_TRUE(screen.contains(QRect(widget->mapToGlobal(QPoint()), QSize(1, 1)))) << name.toStdString();
    }
}

TEST_F(WindowTest, NothingIsClippedInTheSmallestWindows) {
    start({});
    for (const QSize size : {QSize(1024, 700), QSize(1280, 800)}) {
        window_.resize(size);
        act(Act::ResetLayout);
        act(Act::Generate);
        ASSERT_TRUE(eventually([&] { return !session_.jobs.isBusy(); }));
        QTest::qWait(50);
        EXPECT_EQ(window_.size(), size);
        expectNothingClipped(window_);
    }
    EXPECT_GE(get<QWidget>("viewer").width(), 600);
    EXPECT_GE(get<QWidget>("viewer").height(), 340);
}

TEST_F(WindowTest, EveryControlThatTakesFocusHasAName) {
    start({});
    for (const Act workspace : {Act::Compose, Act::Observe, Act::Review}) {
        act(workspace);
        QTest::qWait(20);
        for (const QWidget* widget : window_.findChildren<QWidget*>()) {
            if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus)) continue;
            const bool named =
                !widget->accessibleName().isEmpty() || !widget->property("text").toString().isEmpty();
            EXPECT_TRUE(named) << widget->objectName().toStdString() << " "
                               << widget->metaObject()->className() << " in "
                               << widget->parentWidget()->metaObject()->className();
        }
    }
}

TEST_F(WindowTest, UiMapNamesWhatIsVisible) {
    start({});
    act(Act::Generate);
    ASSERT_TRUE(stageIs("Done"));
    QMap<QString, QJsonObject> items;
    for (const QJsonValue item : UiMap::describe({&window_}))
        items[item["name"].toString()] = item.toObject();
    EXPECT_EQ(items["statusStage"]["text"], "Done");
    EXPECT_EQ(items["promptText"]["text"], "a ball");
    EXPECT_EQ(items["actGenerate"]["enabled"], true);
    EXPECT_GT(items["viewerVideo"]["rect"].toObject()["width"].toDouble(), 500);
    EXPECT_TRUE(items.contains("meshCard0"));
    EXPECT_TRUE(items.contains("queueView/0/0"));
}

TEST_F(WindowTest, FirstRunStripIsClosedForGood) {
    session_.begin();
    workstation_.welcome();
    window_.show();
    EXPECT_TRUE(notice().isVisible());
    notice().findChild<QToolButton*>("noticeClose")->click();
    EXPECT_FALSE(notice().isVisible());
    EXPECT_TRUE(settings_.welcomed());
}

TEST_F(WindowTest, JobsChosenTwiceMakeNoDoubleEvents) {
    start({});
    act(Act::Generate);
    act(Act::Generate);
    ASSERT_TRUE(eventually([&] { return session_.jobs.endedCount() == 2; }));
    EXPECT_EQ(session_.jobs.rowCount(), 2);
}

TEST(OptionsTest, ReadsAndRefuses) {
    const Options options =
        parseOptions({"reelmesh", "--geometry", "1024x700+10-5", "--theme", "light", "--output-dir", "out"});
    EXPECT_EQ(options.wish, Options::Wish::Run);
    EXPECT_EQ(options.geometry->size, QSize(1024, 700));
    EXPECT_EQ(options.geometry->position, QPoint(10, -5));
    EXPECT_EQ(options.theme, Theme::Light);
    EXPECT_EQ(options.outputFolder, "out");
    EXPECT_EQ(parseOptions({"reelmesh", "--version"}).wish, Options::Wish::ShowVersion);
    for (const QStringList& bad :
         {QStringList{"--theme", "pink"}, {"--geometry", "big"}, {"--no-such"}, {"file"}})
        EXPECT_EQ(parseOptions(QStringList{"reelmesh"} + bad).wish, Options::Wish::Refuse);
}

} // namespace
} // namespace reelmesh
