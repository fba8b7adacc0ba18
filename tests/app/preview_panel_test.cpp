// The viewer as a panel: keys, buttons, scrubbers and what they do to the models.
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QLabel>
#include <QMenu>
#include <QMimeData>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QTemporaryFile>
#include <QToolButton>
#include <QUrl>

#include "overlays/overlay_set.h"
#include "panels/preview_panel.h"
#include "theme/style.h"
#include "viewer_fixture.h"
#include "widgets/scrubber.h"
#include "widgets/video_view.h"

namespace reelmesh {
namespace {

class PreviewPanelTest : public ::testing::Test {
protected:
    PreviewPanelTest() {
        panel_.resize(692, 540);
        panel_.show();
        panel_.video().pause();
    }
    void decodeAll() {
        preview_.begin(job_);
        preview_.apply(decodedFrames(job_, 0, static_cast<int>(*job_.request.frames)));
    }
    void previews(int count) {
        preview_.begin(job_);
        for (int step = 0; step < count; ++step) {
            store_.keep(step);
            preview_.apply(PreviewReady{job_.id, step});
        }
    }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
        QTest::keyClick(&panel_.video(), key, modifiers);
    }
    QToolButton& button(const char* name) { return *panel_.findChild<QToolButton*>(name); }
    QString counter() { return panel_.findChild<QLabel*>("viewerFrame")->text(); }
    Scrubber& scrubber(const char* name) { return *panel_.findChild<Scrubber*>(name); }

    RunningJob job_ = runningJob();
    PreviewModel preview_;
    PreviewStore store_{preview_};
    RunOverview run_;
    QAction generate_{"Generate"};
    PreviewPanel panel_{{preview_, run_}, &generate_};
};

TEST_F(PreviewPanelTest, EmptyItOffersToGenerate) {
    QSignalSpy triggered(&generate_, &QAction::triggered);
    auto* action = panel_.findChild<QToolButton*>("emptyAction");
    ASSERT_TRUE(action->isVisible());
    action->click();
    EXPECT_EQ(triggered.size(), 1);
    EXPECT_EQ(counter(), "–");
    for (const char* name : {"viewerPlay", "viewerFirst", "viewerPin", "viewerSave", "viewerExport"}) {
        EXPECT_FALSE(button(name).isEnabled()) << name;
        EXPECT_TRUE(button(name).toolTip().contains("no clip")) << name;
    }
    panel_.setWaiting("Load model");
    EXPECT_FALSE(action->isVisible());
}

TEST_F(PreviewPanelTest, RightEightyTimesReachesTheLastFrameAndOnceMoreTheFirst) {
    decodeAll();
    for (int frame = 1; frame <= 81; ++frame) {
        EXPECT_EQ(counter().left(7), QString("%1/081").arg(frame, 3, 10, QChar('0')));
        EXPECT_EQ(panel_.video().currentImage().pixelColor(0, 0).red(), frame);
        key(Qt::Key_Right);
    }
    EXPECT_EQ(counter(), "001/081 0.06 s");
    key(Qt::Key_Left);
    EXPECT_EQ(counter(), "081/081 5.06 s");
}

TEST_F(PreviewPanelTest, KeysOfTheTransport) {
    decodeAll();
    key(Qt::Key_Right, Qt::ShiftModifier);
    EXPECT_EQ(counter(), "017/081 1.06 s");
    key(Qt::Key_Period);
    EXPECT_EQ(counter().left(3), "018");
    key(Qt::Key_Comma);
    key(Qt::Key_Left, Qt::ShiftModifier);
    EXPECT_EQ(counter().left(3), "001");
    key(Qt::Key_End);
    EXPECT_EQ(counter().left(3), "081");
    key(Qt::Key_Home);
    EXPECT_EQ(counter().left(3), "001");
    key(Qt::Key_Space);
    EXPECT_TRUE(panel_.video().isPlaying());
    EXPECT_TRUE(button("viewerPlay").isChecked());
    key(Qt::Key_K);
    EXPECT_FALSE(panel_.video().isPlaying());
    key(Qt::Key_J);
    EXPECT_EQ(panel_.video().speed(), -1);
    key(Qt::Key_L);
    EXPECT_EQ(panel_.video().speed(), 1);
    key(Qt::Key_L);
    EXPECT_EQ(button("viewerSpeed").text(), "2×");
    key(Qt::Key_BracketRight);
    key(Qt::Key_BracketRight);
    EXPECT_EQ(panel_.video().speed(), 4);
    key(Qt::Key_Backspace);
    key(Qt::Key_BracketLeft);
    key(Qt::Key_BracketLeft);
    key(Qt::Key_BracketLeft);
    EXPECT_EQ(button("viewerSpeed").text(), "0.25×");
    key(Qt::Key_Backslash);
    EXPECT_FALSE(panel_.video().isLoop());
    EXPECT_FALSE(button("viewerLoop").isChecked());
    key(Qt::Key_Backslash);
    EXPECT_TRUE(button("viewerLoop").isChecked());
}

TEST_F(PreviewPanelTest, KeysOfTheView) {
    decodeAll();
    key(Qt::Key_1);
    EXPECT_EQ(panel_.video().zoom(), 1);
    EXPECT_EQ(button("viewerFit").text(), "100 %");
    key(Qt::Key_Plus);
    EXPECT_EQ(panel_.video().zoom(), 1.25);
    key(Qt::Key_Minus);
    EXPECT_EQ(panel_.video().zoom(), 1);
    key(Qt::Key_F);
    EXPECT_TRUE(panel_.video().isFit());
    key(Qt::Key_O);
    EXPECT_TRUE(panel_.overlays().isAnyOn());
    key(Qt::Key_O);
    EXPECT_FALSE(panel_.overlays().isAnyOn());
}

TEST_F(PreviewPanelTest, WithoutBModesSayWhatIsMissing) {
    decodeAll();
    key(Qt::Key_W);
    EXPECT_EQ(button("viewerMode").text(), "Single");
    for (const QAction* action : button("viewerMode").menu()->actions().mid(1)) {
        EXPECT_FALSE(action->isEnabled());
        EXPECT_TRUE(action->toolTip().contains("Pin"));
    }
    key(Qt::Key_B);
    EXPECT_TRUE(button("viewerPin").isChecked());
    key(Qt::Key_W);
    EXPECT_EQ(button("viewerMode").text(), "Wipe");
    key(Qt::Key_X);
    EXPECT_EQ(button("viewerMode").text(), "Flick");
    EXPECT_TRUE(panel_.video().showsB());
    key(Qt::Key_X);
    EXPECT_FALSE(panel_.video().showsB());
    button("viewerMode").menu()->actions()[5]->trigger();
    EXPECT_EQ(panel_.video().gain(), 16);
    EXPECT_EQ(button("viewerMode").text(), "Difference ×16");
    key(Qt::Key_B);
    EXPECT_EQ(button("viewerMode").text(), "Single");
    EXPECT_FALSE(button("viewerPin").isChecked());
}

TEST_F(PreviewPanelTest, TheStepScrubberLooksBackAndFollowsAgain) {
    previews(12);
    Scrubber& steps = scrubber("viewerSteps");
    EXPECT_EQ(steps.text(), "12/40");
    EXPECT_EQ(panel_.video().text(), "step 12/40, preview");
    QTest::mouseClick(&steps, Qt::LeftButton, {}, QPointF(steps.xOf(1), 10).toPoint());
    EXPECT_EQ(panel_.video().text(), "step 1/40, preview");
    key(Qt::Key_PageDown);
    EXPECT_EQ(panel_.video().text(), "step 2/40, preview");
    QTest::keyClick(&steps, Qt::Key_Right);
    EXPECT_EQ(steps.text(), "3/40");
    key(Qt::Key_PageUp);
    EXPECT_EQ(steps.text(), "2/40");
    QTest::keyClick(&steps, Qt::Key_End);
    EXPECT_EQ(steps.text(), "12/40");
    EXPECT_TRUE(preview_.isLive());
}

TEST_F(PreviewPanelTest, APreviewCountsInFramesOfTheVideo) {
    previews(1);
    EXPECT_EQ(counter(), "001/081 0.06 s");
    key(Qt::Key_Right);
    EXPECT_EQ(counter(), "005/081 0.31 s");
    key(Qt::Key_End);
    EXPECT_EQ(counter(), "081/081 5.06 s");
    EXPECT_EQ(scrubber("viewerTime").text(), "81/81");
}

TEST_F(PreviewPanelTest, TheTimeScrubberSeeksWithinWhatIsDecoded) {
    preview_.begin(job_);
    preview_.apply(decodedFrames(job_, 0, 33));
    Scrubber& time = scrubber("viewerTime");
    QTest::mouseClick(&time, Qt::LeftButton, {}, QPointF(time.xOf(17), 10).toPoint());
    EXPECT_EQ(counter().left(7), "017/081");
    QTest::mouseClick(&time, Qt::LeftButton, {}, QPointF(time.xOf(60), 10).toPoint());
    EXPECT_EQ(counter().left(7), "033/081");
    EXPECT_EQ(time.text(), "33/81");
    preview_.apply(decodedFrames(job_, 33, 4));
    EXPECT_EQ(counter().left(7), "033/081") << "a paused frame stays when the clip grows";
}

TEST_F(PreviewPanelTest, DraggingTheTimeStopsPlayingUntilItIsLetGo) {
    decodeAll();
    panel_.video().play();
    Scrubber& time = scrubber("viewerTime");
    QTest::mousePress(&time, Qt::LeftButton, {}, QPointF(time.xOf(40), 10).toPoint());
    EXPECT_FALSE(panel_.video().isPlaying());
    QTest::mouseRelease(&time, Qt::LeftButton, {}, QPointF(time.xOf(40), 10).toPoint());
    EXPECT_TRUE(panel_.video().isPlaying());
}

TEST_F(PreviewPanelTest, SavingAsksWithTheDecodedFrameWhateverLiesOverIt) {
    QSignalSpy saved(&panel_, &PreviewPanel::saveFrameRequested);
    previews(1);
    key(Qt::Key_S);
    EXPECT_EQ(saved.size(), 0);
    EXPECT_TRUE(button("viewerSave").toolTip().contains("preview"));
    decodeAll();
    panel_.overlays().setAll(true);
    key(Qt::Key_Right);
    key(Qt::Key_S);
    ASSERT_EQ(saved.size(), 1);
    EXPECT_EQ(saved[0][0].value<QImage>(), plain({32, 32}, QColor(2, 2, 2)));
    EXPECT_EQ(saved[0][1].toInt(), 2);
    EXPECT_EQ(saved[0][2].value<JobRequest>().seed, job_.request.seed);
}

TEST_F(PreviewPanelTest, CopyTakesTheFrameThatIsShown) {
    decodeAll();
    key(Qt::Key_C, Qt::ControlModifier);
    EXPECT_EQ(QGuiApplication::clipboard()->image().convertToFormat(QImage::Format_RGB888).pixelColor(3, 3),
              QColor(1, 1, 1));
}

TEST_F(PreviewPanelTest, DraggingOutGivesTheSavedFileElseTheFrame) {
    EXPECT_EQ(panel_.makeDragData(), nullptr);
    decodeAll();
    std::unique_ptr<QMimeData> data(panel_.makeDragData());
    EXPECT_FALSE(data->hasUrls());
    EXPECT_EQ(data->imageData().value<QImage>().size(), QSize(32, 32));
    QTemporaryFile file(QDir::tempPath() + "/clip XXXXXX.mp4");
    ASSERT_TRUE(file.open());
    JobStateChanged done{.job = job_.id, .state = JobState::Done};
    done.report.output = file.fileName().toStdString();
    preview_.apply(done);
    data.reset(panel_.makeDragData());
    ASSERT_TRUE(data->hasUrls());
    EXPECT_EQ(data->urls().first().toLocalFile(), file.fileName());
    file.remove();
    data.reset(panel_.makeDragData());
    EXPECT_FALSE(data->hasUrls()) << "the file is gone";
}

TEST_F(PreviewPanelTest, ExportIsOfferedForAWholeClip) {
    QSignalSpy wanted(&panel_, &PreviewPanel::exportRequested);
    preview_.begin(job_);
    preview_.apply(decodedFrames(job_, 0, 33));
    EXPECT_FALSE(button("viewerExport").isEnabled());
    preview_.apply(decodedFrames(job_, 33, 48));
    button("viewerExport").click();
    EXPECT_EQ(wanted.size(), 1);
}

TEST_F(PreviewPanelTest, NothingOfTheBarIsCutOffAtAnyWidth) {
    decodeAll();
    for (const int width : {430, 479, 480, 560, 600, 692, 900, 1180}) {
        panel_.resize(width, 480);
        QCoreApplication::processEvents();
        int right = 0;
        for (const QWidget* widget : button("viewerPlay").parentWidget()->findChildren<QWidget*>()) {
            if (widget->isHidden()) continue;
            EXPECT_GE(widget->width(), widget->sizeHint().width())
                << width << widget->objectName().toStdString();
            EXPECT_GE(widget->x(), right) << width << widget->objectName().toStdString();
            right = widget->geometry().right();
        }
        EXPECT_LT(right, width);
        for (const char* name : {"viewerPlay", "viewerLoop", "viewerSpeed", "viewerMode", "viewerFit",
                                 "viewerOverlays", "viewerSave", "viewerExport"})
            EXPECT_TRUE(button(name).isVisible()) << width << name;
    }
}

TEST_F(PreviewPanelTest, TheThemeChangesWhileItIsShown) {
    auto* pages = panel_.findChild<QStackedWidget*>();
    const auto ground = [&] { return pages->grab().toImage().pixelColor(2, 2); };
    for (const Theme theme : {Theme::Light, Theme::Dark}) {
        applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), theme);
        QCoreApplication::processEvents();
        EXPECT_EQ(ground(), tokens(theme).matte);
        decodeAll();
        EXPECT_EQ(ground(), tokens(theme).matte);
        preview_.clear();
    }
}

TEST_F(PreviewPanelTest, ArrowsOnAButtonStillMoveFrames) {
    decodeAll();
    button("viewerPlay").setFocus();
    QTest::keyClick(&button("viewerPlay"), Qt::Key_Right);
    EXPECT_EQ(counter().left(3), "002");
}

TEST_F(PreviewPanelTest, EveryControlHasANameAndAHelp) {
    for (const auto* control : panel_.findChildren<QToolButton*>(QRegularExpression("^viewer"))) {
        EXPECT_FALSE(control->accessibleName().isEmpty()) << control->objectName().toStdString();
        EXPECT_FALSE(control->toolTip().isEmpty()) << control->objectName().toStdString();
    }
}

TEST(PreviewPanelRunTest, TheFirstFrameIsShownBeforeTheLastChunk) {
    EngineClient client;
    PreviewModel preview;
    RunOverview run;
    QAction generate;
    PreviewPanel panel({preview, run}, &generate);
    panel.show();
    preview.setFetch([&](JobId job, int step) { return client.preview(job, step); });
    QObject::connect(&client, &EngineClient::submitted, [&](JobId job, const JobRequest& request) {
        preview.begin({job, request, {}});
    });
    QObject::connect(&client, &EngineClient::previewReady, [&](const PreviewReady& e) { preview.apply(e); });
    QObject::connect(&client, &EngineClient::framesDecoded,
                     [&](const FramesDecoded& e) { preview.apply(e); });
    QObject::connect(&client, &EngineClient::jobStateChanged,
                     [&](const JobStateChanged& e) { preview.apply(e); });
    QObject::connect(&client, &EngineClient::opened, [&] { client.submit(smallRequest()); });
    openFake(client,
             {.step_time = std::chrono::milliseconds(60), .stage_time = std::chrono::milliseconds(60)});

    // Every step's preview plays, and looking back does not hold the job up.
    ASSERT_TRUE(eventually([&] { return panel.video().text() == "step 2/4, preview"; }));
    QSignalSpy frames(&panel.video(), &VideoView::frameChanged);
    preview.chooseStep(0);
    EXPECT_EQ(panel.video().text(), "step 1/4, preview");
    ASSERT_TRUE(eventually([&] { return preview.keptSteps().size() == 4; }));
    EXPECT_EQ(panel.video().text(), "step 1/4, preview");
    preview.chooseStep(3);
    ASSERT_TRUE(eventually([&] { return preview.content() == PreviewModel::Content::Decoded; }));
    EXPECT_LT(preview.frames().size(), 9);
    EXPECT_TRUE(panel.video().isVisible());
    EXPECT_GE(panel.video().currentFrame(), 0);
    ASSERT_TRUE(eventually([&] { return preview.isComplete(); }));
    EXPECT_GT(frames.size(), 0);
}

} // namespace
} // namespace reelmesh
