// The picture of the viewer: its clock, zoom, comparison, and pixels that are the frame's at every scale.
#include <QApplication>
#include <QPainter>
#include <QProcess>
#include <QSignalSpy>
#include <QWheelEvent>

#include "theme/palette.h"
#include "viewer_fixture.h"
#include "widgets/frame_clock.h"
#include "widgets/video_view.h"

namespace reelmesh {
namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

TEST(FrameClockTest, SkipsLateFramesAndLoops) {
    FrameClock clock;
    EXPECT_EQ(clock.frame(0), -1);
    clock.play(0);
    clock.setClip(16, 17, 0);
    EXPECT_EQ(clock.frame(0), 0);
    EXPECT_EQ(clock.frame(kSecond_ns / 2), 8);
    EXPECT_EQ(clock.frame(kSecond_ns + kSecond_ns / 16), 0);
    EXPECT_EQ(clock.frame(kSecond_ns * 10), 160 % 17);
    EXPECT_EQ(clock.untilNext_ns(kSecond_ns / 32), kSecond_ns / 32);
}

TEST(FrameClockTest, KeepsTheInstantWhenPreviewBecomesClip) {
    FrameClock clock;
    clock.play(0);
    clock.setClip(4, 5, 0);
    EXPECT_EQ(clock.frame(kSecond_ns / 2), 2);
    clock.setClip(16, 17, kSecond_ns / 2);
    EXPECT_EQ(clock.frame(kSecond_ns / 2), 8);
}

TEST(FrameClockTest, AGrowingClipKeepsThePausedFrameAtUnevenRates) {
    FrameClock clock;
    clock.setClip(24000.0 / 1001, 17, 0);
    for (int frame = 0; frame < 17; ++frame) {
        clock.seek(frame, 0);
        clock.setClip(24000.0 / 1001, 21, 0);
        EXPECT_EQ(clock.frame(0), frame);
    }
}

TEST(FrameClockTest, SeekingWrapsAtBothEnds) {
    FrameClock clock;
    clock.setClip(16, 17, 0);
    clock.seek(-1, 0);
    EXPECT_EQ(clock.frame(kSecond_ns), 16);
    clock.seek(17, 0);
    EXPECT_EQ(clock.frame(0), 0);
}

TEST(FrameClockTest, SpeedAndDirectionChangeFromTheFrameThatIsShown) {
    FrameClock clock;
    clock.setClip(16, 17, 0);
    clock.play(0);
    clock.setSpeed(2, kSecond_ns / 4);
    EXPECT_EQ(clock.frame(kSecond_ns / 4), 4);
    EXPECT_EQ(clock.frame(kSecond_ns / 2), 12);
    clock.setSpeed(-1, kSecond_ns / 2);
    EXPECT_EQ(clock.frame(kSecond_ns / 2 + kSecond_ns / 4), 8);
    EXPECT_EQ(clock.frame(kSecond_ns / 2 + kSecond_ns), 13);
}

TEST(FrameClockTest, WithoutLoopItStaysOnTheLastFrameAndPlaysAgainFromTheFirst) {
    FrameClock clock;
    clock.setAtEnd(FrameClock::AtEnd::Stop, 0);
    clock.setClip(16, 17, 0);
    clock.play(0);
    EXPECT_FALSE(clock.isOver(kSecond_ns));
    EXPECT_TRUE(clock.isOver(2 * kSecond_ns));
    EXPECT_EQ(clock.frame(2 * kSecond_ns), 16);
    clock.pause(2 * kSecond_ns);
    clock.play(2 * kSecond_ns);
    EXPECT_EQ(clock.frame(2 * kSecond_ns), 0);
}

TEST(ViewZoomTest, ThePointUnderTheAnchorStays) {
    const ViewZoom::Place place{{800, 600}, {832, 480}, 8};
    ViewZoom zoom;
    const QPointF anchor(500, 350);
    const auto pointUnder = [&] { return (anchor - zoom.rect(place).topLeft()) / zoom.scale(place); };
    const QPointF before = pointUnder();
    for (const double scale : {2.0, 8.0, 16.0}) {
        zoom.zoomTo(scale, anchor, place);
        EXPECT_NEAR(pointUnder().x(), before.x(), 1) << scale;
        EXPECT_NEAR(pointUnder().y(), before.y(), 1) << scale;
    }
    zoom.zoomTo(1000, anchor, place);
    EXPECT_EQ(zoom.scale(place), 16);
    zoom.zoomTo(0.001, anchor, place);
    EXPECT_EQ(zoom.scale(place), 0.1);
}

TEST(ViewZoomTest, PanningEndsAtTheEdges) {
    const ViewZoom::Place place{{100, 100}, {200, 50}, 8};
    ViewZoom zoom;
    EXPECT_FALSE(zoom.canPan(place));
    zoom.zoomTo(1, {50, 50}, place);
    EXPECT_TRUE(zoom.canPan(place));
    EXPECT_EQ(zoom.rect(place), QRect(-50, 25, 200, 50));
    zoom.panBy({500, 500}, place);
    EXPECT_EQ(zoom.rect(place), QRect(0, 25, 200, 50));
    zoom.panBy({-500, 0}, place);
    EXPECT_EQ(zoom.rect(place).right(), 99);
}

VideoClip clipOf(const QList<QImage>& frames, double framesPerSecond = 16) {
    return {.frames = frames, .framesPerSecond = framesPerSecond};
}

QList<QImage> twoFrames() {
    return {plain({4, 2}, Qt::red), plain({4, 2}, Qt::blue)};
}

TEST(VideoViewTest, KeepsTheAspectAndPaintsTheFrameOfItsPosition) {
    VideoView view;
    view.resize(416, 316);
    view.pause();
    view.setClip(clipOf(twoFrames()));
    EXPECT_EQ(view.pictureRect(), QRectF(8, 58, 400, 200));
    EXPECT_EQ(view.grab().toImage().pixelColor(208, 158), QColor(Qt::red));
    view.stepBy(1);
    EXPECT_EQ(view.grab().toImage().pixelColor(208, 158), QColor(Qt::blue));
    EXPECT_EQ(view.grab().toImage().pixelColor(208, 20), tokens(Theme::Dark).matte);
    view.stepBy(1);
    EXPECT_EQ(view.currentFrame(), 0);
}

TEST(VideoViewTest, APreviewFillsTheVideosRectangle) {
    VideoView view;
    view.resize(848, 600);
    VideoClip clip = clipOf({plain({104, 60}, Qt::red)}, 4);
    clip.size = QSize(832, 480);
    view.setClip(clip);
    EXPECT_EQ(view.pictureRect().size(), QSizeF(832, 480));
    view.zoomToActualSize();
    EXPECT_EQ(view.pictureRect().size(), QSizeF(832, 480));
}

TEST(VideoViewTest, AboveTwiceTheSizePixelsStayWhole) {
    QImage checks = plain({2, 1}, Qt::black);
    checks.setPixelColor(1, 0, Qt::white);
    VideoView view;
    view.resize(216, 116);
    view.pause();
    view.setClip(clipOf({checks}));
    const QImage shown = view.grab().toImage();
    EXPECT_EQ(shown.pixelColor(106, 58), QColor(Qt::black));
    EXPECT_EQ(shown.pixelColor(109, 58), QColor(Qt::white));
}

TEST(VideoViewTest, FocusBadgeAndNoteTintNothingOfThePicture) {
    VideoView view;
    view.resize(400, 300);
    view.pause();
    view.setClip(clipOf({plain({200, 100}, Qt::red)}));
    view.setBadge("step 1/4, preview");
    view.setNote("a note");
    view.show();
    view.activateWindow();
    view.setFocus();
    ASSERT_TRUE(eventually([&] { return view.hasFocus(); }));
    const QImage shown = view.grab().toImage();
    EXPECT_EQ(shown.pixelColor(200, 150), QColor(Qt::red));
    EXPECT_EQ(shown.pixelColor(200, 20), tokens(Theme::Dark).matte);
    EXPECT_EQ(shown.pixelColor(200, 0), tokens(Theme::Dark).accent);
}

TEST(VideoViewTest, PlaysByItselfOnlyWhileItCanBeSeen) {
    VideoView view;
    QSignalSpy frames(&view, &VideoView::frameChanged);
    view.show();
    view.setClip(clipOf(twoFrames(), 50));
    ASSERT_TRUE(eventually([&] { return frames.size() >= 6; }));
    view.hide();
    frames.clear();
    QTest::qWait(100);
    EXPECT_EQ(frames.size(), 0);
    view.show();
    EXPECT_TRUE(eventually([&] { return frames.size() >= 2; }));
}

TEST(VideoViewTest, WithoutLoopItPausesOnTheLastFrame) {
    VideoView view;
    view.show();
    view.setLoop(false);
    view.setClip(numberedClip(3, {4, 4}, 100));
    ASSERT_TRUE(eventually([&] { return !view.isPlaying(); }));
    EXPECT_EQ(view.currentFrame(), 2);
}

TEST(VideoViewTest, TheWheelZoomsAtTheCursor) {
    VideoView view;
    view.resize(400, 300);
    view.setClip(clipOf({plain({832, 480}, Qt::red)}));
    view.zoomToActualSize();
    const QPointF cursor(300, 120);
    const auto under = [&] {
        const QRectF picture = view.pictureRect();
        return QPointF((cursor.x() - picture.x()) / picture.width(),
                       (cursor.y() - picture.y()) / picture.height());
    };
    const QPointF before = under();
    for (int notch = 0; notch < 8; ++notch) {
        QWheelEvent wheel(cursor, view.mapToGlobal(cursor), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&view, &wheel);
    }
    EXPECT_GT(view.zoom(), 2);
    EXPECT_NEAR(under().x(), before.x(), 0.002);
    EXPECT_NEAR(under().y(), before.y(), 0.004);
    EXPECT_FALSE(view.isFit());
}

TEST(VideoViewTest, DraggingPansAnEnlargedPictureAndTakesASmallOneOut) {
    VideoView view;
    view.resize(200, 200);
    view.setClip(clipOf({plain({100, 100}, Qt::red)}));
    QSignalSpy out(&view, &VideoView::draggedOut);
    const auto drag = [&] {
        QTest::mousePress(&view, Qt::LeftButton, {}, {100, 100});
        QTest::mouseMove(&view, {130, 100});
        QTest::mouseRelease(&view, Qt::LeftButton, {}, {130, 100});
    };
    drag();
    EXPECT_EQ(out.size(), 1);
    view.zoomBy(4);
    const double left = view.pictureRect().left();
    drag();
    EXPECT_EQ(out.size(), 1);
    EXPECT_EQ(view.pictureRect().left(), left + 30);
}

class CompareTest : public ::testing::Test {
protected:
    CompareTest() {
        view_.resize(240, 160);
        view_.pause();
        view_.setClip(clipOf({a_}));
        view_.setOther(clipOf({b_}));
    }
    QImage shown() { return view_.grab().toImage(); }

    const QImage a_ = checkerboard({200, 100}), b_ = plain({200, 100}, QColor(10, 20, 30));
    VideoView view_;
};

TEST_F(CompareTest, WipeAtFullSizeShowsALeftAndBRightToThePixel) {
    view_.setMode(CompareMode::Wipe);
    view_.zoomToActualSize();
    const QRect rect = view_.pictureDeviceRect();
    ASSERT_EQ(rect.size(), a_.size());
    const auto compare = [&](int split) {
        const QImage image = shown();
        for (int y : {34, 40, 55, 66}) {
            for (int x = 0; x < a_.width(); ++x) {
                // The line and its handle lie over the border; chips at the top and bottom.
                if (std::abs(x - split) < 13) continue;
                ASSERT_EQ(image.pixel(rect.left() + x, rect.top() + y), (x < split ? a_ : b_).pixel(x, y))
                    << x << "," << y << " split " << split;
            }
        }
    };
    compare(100);
    QTest::mousePress(&view_, Qt::LeftButton, {}, {120, 80});
    QTest::mouseMove(&view_, {170, 80});
    QTest::mouseRelease(&view_, Qt::LeftButton, {}, {170, 80});
    compare(150);
}

TEST_F(CompareTest, TheDifferenceIsAmplifiedAndThePsnrSaid) {
    view_.setClip(clipOf({plain({200, 100}, QColor(20, 20, 20))}));
    view_.setMode(CompareMode::Difference);
    view_.setGain(4);
    const QRect rect = view_.pictureDeviceRect();
    ASSERT_TRUE(eventually([&] { return shown().pixelColor(rect.center()) == QColor(40, 0, 40); }));
    // Mean square 66.7 of 255 squared.
    ASSERT_TRUE(eventually([&] {
        return itemNamed(view_.uiItems(), "viewerVideo/psnr")["text"].toString() ==
               "PSNR 29.9 dB · frame 001";
    }));
    view_.setOther(clipOf({plain({200, 100}, QColor(20, 20, 20))}));
    EXPECT_TRUE(eventually([&] {
        return itemNamed(view_.uiItems(), "viewerVideo/psnr")["text"].toString() == "equal · frame 001";
    }));
}

TEST_F(CompareTest, PicturesOfTwoSizesHaveNoPsnr) {
    view_.setOther(clipOf({plain({100, 50}, Qt::red)}));
    view_.setMode(CompareMode::Flick);
    EXPECT_EQ(itemNamed(view_.uiItems(), "viewerVideo/psnr")["text"].toString(), "sizes differ · frame 001");
    EXPECT_EQ(shown().pixelColor(view_.pictureDeviceRect().center()), QColor(Qt::red));
}

TEST_F(CompareTest, FlickShowsTheOneAndTheOther) {
    view_.zoomToActualSize();
    view_.setMode(CompareMode::Flick);
    const QPoint middle = view_.pictureDeviceRect().center(),
                 pixel = middle - view_.pictureDeviceRect().topLeft();
    EXPECT_EQ(shown().pixel(middle), b_.pixel(pixel));
    view_.flick();
    EXPECT_EQ(shown().pixel(middle), a_.pixel(pixel));
}

TEST_F(CompareTest, SideBySideShowsBothWhole) {
    view_.setClip(clipOf({plain({200, 100}, Qt::red)}));
    view_.setMode(CompareMode::SideBySide);
    EXPECT_EQ(shown().pixelColor(60, 80), QColor(Qt::red));
    EXPECT_EQ(shown().pixelColor(180, 80), QColor(10, 20, 30));
    EXPECT_EQ(view_.pictureRect().width(), 104);
}

TEST_F(CompareTest, BOfAnotherRateIsShownAtTheSameInstant) {
    // Preview pictures stand for four frames each.
    view_.setClip(numberedClip(17, {200, 100}, 16));
    view_.setOther(numberedClip(5, {200, 100}, 4));
    view_.setMode(CompareMode::Flick);
    for (const auto& [frame, other] : {std::pair(0, 1), {3, 1}, {4, 2}, {9, 3}, {16, 5}}) {
        view_.seek(frame);
        EXPECT_EQ(shown().pixelColor(120, 80).red(), other) << frame;
    }
}

TEST_F(CompareTest, WithoutBThereIsNothingToCompare) {
    view_.setMode(CompareMode::Wipe);
    view_.setOther({});
    EXPECT_EQ(view_.mode(), CompareMode::Single);
    view_.setMode(CompareMode::Difference);
    EXPECT_EQ(view_.mode(), CompareMode::Single);
}

TEST(VideoViewTest, ALargeAreaIsSmoothedInTheBackground) {
    VideoView view;
    view.resize(2400, 1500);
    view.pause();
    QImage image = plain({1280, 720}, Qt::black);
    for (int x = 640; x < 1280; ++x)
        for (int y = 0; y < 720; ++y)
            image.setPixel(x, y, qRgb(255, 255, 255));
    view.setClip(clipOf({image}));
    const QPoint edge = view.pictureDeviceRect().center();
    const auto greys = [&] {
        const QImage shown = view.grab().toImage();
        int count = 0;
        for (int x = edge.x() - 4; x <= edge.x() + 4; ++x)
            count += qRed(shown.pixel(x, edge.y())) % 255 != 0;
        return count;
    };
    EXPECT_EQ(greys(), 0) << "the first draw must not wait";
    EXPECT_TRUE(eventually([&] { return greys() > 0; }));
}

/// Run at every scale factor by the test below, since Qt reads the factor once.
TEST(ScaledViewTest, OnePixelIsOnePixelAndThePictureFillsItsRectangle) {
    QWidget window;
    window.resize(501, 401);
    VideoView view(&window);
    view.setGeometry(0, 0, 333, 277);
    const QImage image = checkerboard({200, 100});
    view.pause();
    view.setClip(clipOf({image}));
    view.zoomToActualSize();
    EXPECT_EQ(view.zoom(), 1);
    const QRect rect = view.pictureDeviceRect();
    ASSERT_EQ(rect.size(), image.size());
    QImage shown = view.grab().toImage();
    for (int y = 0; y < image.height(); ++y)
        for (int x = 0; x < image.width(); ++x)
            ASSERT_EQ(shown.pixel(rect.left() + x, rect.top() + y), image.pixel(x, y)) << x << "," << y;

    view.setClip(clipOf({plain({832, 480}, Qt::red)}));
    view.zoomToFit();
    shown = view.grab().toImage();
    const QRect fit = view.pictureDeviceRect();
    for (const QPoint& corner : {fit.topLeft(), fit.topRight(), fit.bottomLeft(), fit.bottomRight()})
        EXPECT_EQ(shown.pixelColor(corner), QColor(Qt::red));
    EXPECT_EQ(shown.pixelColor(fit.topLeft() - QPoint(1, 0)), tokens(Theme::Dark).matte);
    EXPECT_EQ(shown.pixelColor(fit.bottomRight() + QPoint(1, 0)), tokens(Theme::Dark).matte);
    EXPECT_NEAR(fit.left(), 8 * view.devicePixelRatioF(), 1);
    EXPECT_NEAR(fit.right(), shown.width() - 1 - 8 * view.devicePixelRatioF(), 1);
}

TEST(ScaledViewTest, EveryScaleFactorOfAScreen) {
    if (qEnvironmentVariableIsSet("REELMESH_TEST_SCALED")) return;
    for (const char* factor : {"1", "1.25", "1.5", "2"}) {
        QProcess scaled;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("QT_SCALE_FACTOR", factor);
        environment.insert("REELMESH_TEST_SCALED", factor);
        scaled.setProcessEnvironment(environment);
        scaled.setProcessChannelMode(QProcess::MergedChannels);
        scaled.start(QCoreApplication::applicationFilePath(),
                     {"--gtest_filter=ScaledViewTest.*:ScaledScrubberTest.*"});
        ASSERT_TRUE(scaled.waitForFinished(kHangGuard_ms));
        EXPECT_EQ(scaled.exitCode(), 0) << factor << "\n" << scaled.readAll().toStdString();
    }
}

TEST(ScaledViewTest, TheFactorIsTheOneThatWasAskedFor) {
    const QByteArray factor = qgetenv("REELMESH_TEST_SCALED");
    if (factor.isEmpty()) return;
    VideoView view;
    EXPECT_EQ(view.devicePixelRatioF(), factor.toDouble());
}

} // namespace
} // namespace reelmesh
