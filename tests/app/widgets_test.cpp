#include <QLabel>
#include <QToolButton>

#include <algorithm>
#include <cmath>

#include "app_fixture.h"
#include "theme/lanes.h"
#include "theme/palette.h"
#include "widgets/notice_bar.h"
#include "widgets/stage_bar.h"

namespace reelmesh {
namespace {

TEST(NoticeBarTest, NarrowItPutsItsButtonsBelowOneAnother) {
    NoticeBar bar;
    bar.showNotice(NoticeBar::Kind::Info, "text", {{"Add model folder", [] {}}, {"Output folder", [] {}}});
    for (const int width : {800, 400, 200}) {
        bar.resize(width, 200);
        bar.show();
        QApplication::processEvents();
        for (const char* name : {"noticeAction1", "noticeAction2"}) {
            const auto* button = bar.findChild<QToolButton*>(name);
            EXPECT_GE(button->width(), button->sizeHint().width()) << name << " at " << width;
            EXPECT_LE(button->geometry().right(), width) << name << " at " << width;
        }
    }
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

/// G7: in a grey picture kinds that stand in one row differ in pattern, or enough in lightness.
TEST(LanesTest, TellApartWithoutColour) {
    constexpr double kLeast = 1.2;
    const QList<QList<Lane>> rows{
        {Lane::Attention, Lane::Linear, Lane::Norm, Lane::VaeCompute},
        {Lane::AllToAll, Lane::Ring, Lane::Cfg, Lane::AllReduce, Lane::StageSend, Lane::Wait, Lane::VaeHalo}};
    for (const QList<Lane>& row : rows)
        for (const Lane one : row)
            for (const Lane other : row) {
                if (one >= other || laneStyle(one).pattern != laneStyle(other).pattern) continue;
                EXPECT_GE(contrast(laneStyle(one).color, laneStyle(other).color), kLeast)
                    << laneName(one).toStdString() << " and " << laneName(other).toStdString();
            }
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
