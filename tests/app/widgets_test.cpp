#include <QLabel>
#include <QSignalSpy>
#include <QToolButton>

#include <algorithm>
#include <cmath>

#include "app_fixture.h"
#include "theme/palette.h"
#include "widgets/frame_clock.h"
#include "widgets/notice_bar.h"
#include "widgets/stage_bar.h"
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

TEST(FrameClockTest, SeekingWrapsAtBothEnds) {
    FrameClock clock;
    clock.setClip(16, 17, 0);
    clock.seek(-1, 0);
    EXPECT_EQ(clock.frame(kSecond_ns), 16);
    clock.seek(17, 0);
    EXPECT_EQ(clock.frame(0), 0);
}

QList<QImage> twoFrames() {
    QImage red(4, 2, QImage::Format_RGB888), blue(4, 2, QImage::Format_RGB888);
    red.fill(Qt::red);
    blue.fill(Qt::blue);
    return {red, blue};
}

TEST(VideoViewTest, KeepsTheAspectAndPaintsTheFrameOfItsPosition) {
    VideoView view;
    view.resize(416, 316);
    view.pause();
    view.setClip(twoFrames(), 16);
    EXPECT_EQ(view.pictureRect(), QRectF(8, 58, 400, 200));
    EXPECT_EQ(view.grab().toImage().pixelColor(208, 158), QColor(Qt::red));
    view.stepBy(1);
    EXPECT_EQ(view.grab().toImage().pixelColor(208, 158), QColor(Qt::blue));
    EXPECT_EQ(view.grab().toImage().pixelColor(208, 20), tokens(Theme::Dark).matte);
    view.stepBy(1);
    EXPECT_EQ(view.currentFrame(), 0);
}

TEST(VideoViewTest, AboveTwiceTheSizePixelsStayWhole) {
    QImage checks(2, 1, QImage::Format_RGB888);
    checks.setPixelColor(0, 0, Qt::black);
    checks.setPixelColor(1, 0, Qt::white);
    VideoView view;
    view.resize(216, 116);
    view.pause();
    view.setClip({checks}, 16);
    const QImage shown = view.grab().toImage();
    EXPECT_EQ(shown.pixelColor(106, 58), QColor(Qt::black));
    EXPECT_EQ(shown.pixelColor(109, 58), QColor(Qt::white));
}

TEST(VideoViewTest, PlaysByItselfAndSpaceStopsIt) {
    VideoView view;
    QSignalSpy frames(&view, &VideoView::frameChanged);
    view.setClip(twoFrames(), 50);
    ASSERT_TRUE(eventually([&] { return frames.size() >= 6; }));
    QTest::keyClick(&view, Qt::Key_Space);
    EXPECT_FALSE(view.isPlaying());
    frames.clear();
    QTest::qWait(100);
    EXPECT_EQ(frames.size(), 0);
}

TEST(NoticeBarTest, ShowsTextAndActionsAndReplacesThem) {
    NoticeBar bar;
    int runs = 0;
    bar.showNotice(NoticeBar::Kind::Error, "first", {{"Retry", [&] { ++runs; }}, {"Copy", [] {}}});
    EXPECT_TRUE(bar.isVisible());
    bar.findChild<QToolButton*>("noticeAction1")->click();
    EXPECT_EQ(runs, 1);
    bar.showNotice(NoticeBar::Kind::Done, "second");
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    EXPECT_EQ(bar.findChild<QToolButton*>("noticeAction1"), nullptr);
    EXPECT_EQ(bar.text(), "second");
    bar.findChild<QToolButton*>("noticeClose")->click();
    EXPECT_FALSE(bar.isVisible());
}

TEST(StageBarTest, SaysItsPartsInWords) {
    StageBar bar({1, 6, 2});
    bar.setFractions({1, 0.755, 0});
    EXPECT_EQ(bar.text(), "100 76 0");
}

double luminance(const QColor& color) {
    const auto linear = [](double v) {
        return v <= 0.03928 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const auto [low, high] = std::minmax({luminance(a), luminance(b)});
    return (high + 0.05) / (low + 0.05);
}

TEST(PaletteTest, TextIsReadableOnEveryGround) {
    for (Theme theme : {Theme::Dark, Theme::Light}) {
        const Tokens& t = tokens(theme);
        for (const QColor& ground : {t.window, t.bar, t.input, t.alt})
            for (const QColor& text : {t.text, t.second, t.muted})
                EXPECT_GE(contrast(text, ground), 4.5) << ground.name().toStdString();
        EXPECT_GE(contrast(t.onAccent, t.accent), 4.5);
        EXPECT_GE(contrast(t.text, t.errorGround), 4.5);
        EXPECT_EQ(&tokens(makePalette(theme)), &t);
    }
}

} // namespace
} // namespace reelmesh
