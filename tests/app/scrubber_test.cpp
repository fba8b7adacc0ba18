// The rows of steps and frames under the picture.
#include <QAccessible>
#include <QSignalSpy>

#include "viewer_fixture.h"
#include "widgets/scrubber.h"

namespace reelmesh {
namespace {

TEST(ScaledScrubberTest, AClickReachesTheFrameUnderIt) {
    Scrubber time(Scrubber::Look::Time, "viewerTime");
    time.resize(593, 24);
    time.setPlaces(81, {{Scrubber::Fill::Decoded, 1, 81}});
    QSignalSpy chosen(&time, &Scrubber::chosen);
    for (int frame = 1; frame <= 81; ++frame) {
        QTest::mouseClick(&time, Qt::LeftButton, {}, QPointF(time.xOf(frame), 10).toPoint());
        ASSERT_EQ(chosen.takeLast().first().toInt(), frame);
    }
    QTest::mouseClick(&time, Qt::LeftButton, {}, {0, 10});
    EXPECT_EQ(chosen.takeLast().first().toInt(), 1);
    QTest::mouseClick(&time, Qt::LeftButton, {}, {592, 10});
    EXPECT_EQ(chosen.takeLast().first().toInt(), 81);
}

TEST(ScrubberTest, AStepIsMarkedAtItsEnd) {
    Scrubber steps(Scrubber::Look::Steps, "viewerSteps");
    steps.resize(412, 24);
    steps.setPlaces(40, {{Scrubber::Fill::Kept, 1, 12}});
    EXPECT_EQ(steps.placeAt(6), 1);
    EXPECT_EQ(steps.xOf(40), 406);
    EXPECT_EQ(steps.placeAt(steps.xOf(12)), 12);
    EXPECT_EQ(steps.spanRect({Scrubber::Fill::Kept, 1, 12}).right(), steps.xOf(12));
}

TEST(ScrubberTest, DroppedStepsAreGaps) {
    Scrubber steps(Scrubber::Look::Steps, "viewerSteps");
    steps.resize(412, 24);
    steps.setPlaces(4, {{Scrubber::Fill::Kept, 1, 1}, {Scrubber::Fill::Kept, 3, 2}});
    const QImage image = steps.grab().toImage();
    const auto colourOf = [&](int step) {
        return image.pixelColor(static_cast<int>(steps.xOf(step)) - 50,
                                steps.spanRect({}).center().toPoint().y());
    };
    EXPECT_EQ(colourOf(1), colourOf(3));
    EXPECT_NE(colourOf(1), colourOf(2));
}

TEST(ScrubberTest, TheOwnersValueIsNoWishOfTheUser) {
    Scrubber time(Scrubber::Look::Time, "viewerTime");
    QSignalSpy chosen(&time, &Scrubber::chosen);
    time.setPlaces(81, {});
    time.showValue(17);
    EXPECT_EQ(chosen.size(), 0);
    EXPECT_EQ(time.text(), "17/81");
    time.setPlaces(0, {});
    EXPECT_EQ(chosen.size(), 0);
    EXPECT_EQ(time.text(), "–");
}

TEST(ScrubberTest, KeysStepAndGoToTheEnds) {
    Scrubber time(Scrubber::Look::Time, "viewerTime");
    time.setPlaces(81, {});
    QSignalSpy chosen(&time, &Scrubber::chosen), stepped(&time, &Scrubber::stepped);
    QTest::keyClick(&time, Qt::Key_Right);
    EXPECT_EQ(stepped.takeLast().first().toInt(), 1);
    QTest::keyClick(&time, Qt::Key_Left);
    EXPECT_EQ(stepped.takeLast().first().toInt(), -1);
    QTest::keyClick(&time, Qt::Key_End);
    EXPECT_EQ(chosen.takeLast().first().toInt(), 81);
    QTest::keyClick(&time, Qt::Key_Home);
    EXPECT_EQ(chosen.takeLast().first().toInt(), 1);
}

TEST(ScrubberTest, AssistiveProgramsReadAndSetTheValue) {
    Scrubber time(Scrubber::Look::Time, "viewerTime");
    time.setAccessibleName("Time");
    time.setPlaces(81, {});
    time.showValue(17);
    QSignalSpy chosen(&time, &Scrubber::chosen);
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(&time);
    ASSERT_NE(accessible, nullptr);
    EXPECT_EQ(accessible->role(), QAccessible::Slider);
    QAccessibleValueInterface* value = accessible->valueInterface();
    ASSERT_NE(value, nullptr);
    EXPECT_EQ(value->currentValue().toInt(), 17);
    EXPECT_EQ(value->maximumValue().toInt(), 81);
    value->setCurrentValue(40);
    ASSERT_EQ(chosen.size(), 1);
    EXPECT_EQ(chosen.first().first().toInt(), 40);
}

TEST(ScrubberTest, ItemsNameSpansAndHandle) {
    Scrubber time(Scrubber::Look::Time, "viewerTime");
    time.resize(412, 24);
    time.setPlaces(80, {{Scrubber::Fill::Decoded, 1, 40}, {Scrubber::Fill::Decoding, 41, 4}});
    time.showValue(3);
    const QVariantList items = time.uiItems();
    EXPECT_EQ(itemNamed(items, "viewerTime/decoded")["text"], "1-40");
    EXPECT_EQ(itemNamed(items, "viewerTime/decoded")["rect"].toRect().width(), 200);
    EXPECT_EQ(itemNamed(items, "viewerTime/decoding")["text"], "41-44");
    EXPECT_EQ(itemNamed(items, "viewerTime/handle")["text"], "3/80");
}

} // namespace
} // namespace reelmesh
