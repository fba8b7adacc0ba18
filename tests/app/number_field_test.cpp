#include "widgets/number_field.h"

#include <QLineEdit>
#include <QLocale>
#include <QToolButton>

#include "app_fixture.h"
#include "widgets/legal_hint.h"
#include "widgets/plain_number.h"

namespace reelmesh {
namespace {

class NumberFieldTest : public ::testing::Test {
protected:
    NumberFieldTest() {
        field_.setObjectName("paramFrames");
        field_.setRule({1, 1001, 4, 4});
        field_.setGridWords("frames are 4n+1");
        field_.setValue(81);
        hint_ = std::make_unique<LegalHint>(field_);
        QObject::connect(&field_, &NumberField::edited, [this](const QString& plain) { edited_ << plain; });
        field_.show();
        field_.setFocus();
    }
    void type(const QString& text) {
        field_.selectAll();
        QTest::keyClick(&field_, Qt::Key_Delete);
        QTest::keyClicks(&field_, text);
    }
    QString shown() { return field_.text(); }
    QToolButton& button(int number) {
        return *hint_->findChild<QToolButton*>(QString("paramFramesNearest%1").arg(number));
    }

    NumberField field_;
    std::unique_ptr<LegalHint> hint_;
    QStringList edited_;
};

TEST_F(NumberFieldTest, IllegalNumberStaysWithBothNeighbours) {
    type("80");
    EXPECT_EQ(shown(), "80");
    EXPECT_FALSE(field_.isLegal());
    EXPECT_TRUE(field_.property("illegal").toBool());
    EXPECT_EQ(field_.hint(), "80: frames are 4n+1");
    EXPECT_EQ(field_.neighbours(), (QStringList{"77", "81"}));
    EXPECT_FALSE(hint_->isHidden());
    button(1).click();
    EXPECT_EQ(shown(), "77");
    EXPECT_TRUE(field_.isLegal());
    EXPECT_EQ(edited_.last(), "77");
}

TEST_F(NumberFieldTest, EnterTakesTheNearestAndTiesGoUp) {
    for (const auto& [typed, taken] :
         {std::pair("80", "81"), {"79", "81"}, {"78", "77"}, {"0", "1"}, {"5000", "1001"}, {"1", "1"}}) {
        type(typed);
        QTest::keyClick(&field_, Qt::Key_Return);
        EXPECT_EQ(shown(), taken) << typed;
        EXPECT_TRUE(field_.isLegal());
    }
}

TEST_F(NumberFieldTest, WhatEnterTookIsSaid) {
    type("80");
    QTest::keyClick(&field_, Qt::Key_Return);
    EXPECT_EQ(field_.hint(), "80 → 81");
    EXPECT_FALSE(field_.property("illegal").toBool());
    QTest::keyClicks(&field_, "5");
    EXPECT_EQ(field_.hint(), "");
}

TEST_F(NumberFieldTest, ArrowsAndWheelStepOverLegalValuesAlone) {
    type("80");
    QTest::keyClick(&field_, Qt::Key_Up);
    EXPECT_EQ(shown(), "81");
    QTest::keyClick(&field_, Qt::Key_Up);
    EXPECT_EQ(shown(), "85");
    QTest::keyClick(&field_, Qt::Key_Down);
    QTest::keyClick(&field_, Qt::Key_Down);
    EXPECT_EQ(shown(), "77");
    type("1");
    QTest::keyClick(&field_, Qt::Key_Down);
    EXPECT_EQ(shown(), "1");
    EXPECT_EQ(edited_.last(), "1");
}

TEST_F(NumberFieldTest, OutOfRangeNamesTheRange) {
    type("2000");
    EXPECT_EQ(field_.hint(), "2000: from 1 to 1001");
    EXPECT_EQ(field_.neighbours(), QStringList("1001"));
    EXPECT_TRUE(button(2).isHidden());
}

TEST_F(NumberFieldTest, TextThatIsNoNumberIsIllegal) {
    type("abc");
    EXPECT_FALSE(field_.isLegal());
    EXPECT_EQ(edited_.last(), "abc");
    EXPECT_TRUE(field_.neighbours().isEmpty());
}

TEST_F(NumberFieldTest, ControlEnterIsLeftToTheWindow) {
    type("80");
    QKeyEvent event(QEvent::KeyPress, Qt::Key_Return, Qt::ControlModifier);
    QApplication::sendEvent(&field_, &event);
    EXPECT_FALSE(event.isAccepted());
    EXPECT_EQ(shown(), "80");
}

TEST_F(NumberFieldTest, PastedSizeIsTwoNumbers) {
    std::pair<std::int64_t, std::int64_t> size;
    QObject::connect(&field_, &NumberField::sizePasted, [&](std::int64_t width, std::int64_t height) {
        size = {width, height};
    });
    for (const char* text : {"1280*720", "1280x720", "1280 × 720", "１２８０×７２０"}) {
        size = {};
        auto* line = field_.findChild<QLineEdit*>();
        line->selectAll();
        line->insert(QString::fromUtf8(text));
        Q_EMIT line->textEdited(line->text());
        EXPECT_EQ(size, (std::pair<std::int64_t, std::int64_t>(1280, 720))) << text;
    }
}

TEST(NumberTextTest, ReadsEveryWayOfWriting) {
    EXPECT_EQ(plainNumber("7,5"), "7.5");
    EXPECT_EQ(plainNumber(" 7.5 "), "7.5");
    EXPECT_EQ(plainNumber("８１"), "81");
    EXPECT_EQ(plainNumber("７，５"), "7.5");
    EXPECT_EQ(plainNumber("1 001"), "1001");
    EXPECT_EQ(plainNumber("٧٫٥"), "7.5");
    EXPECT_EQ(plainNumber("30000/1001"), "30000/1001");
}

TEST(NumberTextTest, IsTheSameInEveryLocale) {
    for (const char* name : {"de_DE", "tr_TR", "ar_EG", "C"}) {
        QLocale::setDefault(QLocale(name));
        NumberField field;
        field.setRule({0, 30, 0.1, 0});
        field.setDecimals(1);
        QStringList edited;
        QObject::connect(&field, &NumberField::edited, [&](const QString& plain) { edited << plain; });
        field.setValue(5);
        EXPECT_EQ(field.text(), "5.0") << name;
        for (const char* typed : {"7,5", "7.5"}) {
            field.selectAll();
            QTest::keyClicks(&field, typed);
            EXPECT_EQ(edited.last(), "7.5") << name;
            EXPECT_TRUE(field.isLegal()) << name;
        }
        field.stepBy(1);
        EXPECT_EQ(field.text(), "7.6") << name;
    }
    QLocale::setDefault(QLocale::c());
}

TEST(NumberTextTest, RoundedTextMeansTheLegalValueItStandsFor) {
    NumberField field;
    field.setDecimals(2);
    field.setRule({1 / 16.0, 1001 / 16.0, 4 / 16.0, 4 / 16.0});
    field.setValue(81 / 16.0);
    EXPECT_EQ(field.text(), "5.06");
    field.show();
    field.selectAll();
    QTest::keyClicks(&field, "5.06");
    EXPECT_TRUE(field.isLegal());
    EXPECT_EQ(*field.value(), 81 / 16.0);
    field.selectAll();
    QTest::keyClicks(&field, "5");
    EXPECT_FALSE(field.isLegal());
    EXPECT_EQ(field.neighbours(), (QStringList{"4.81", "5.06"}));
}

} // namespace
} // namespace reelmesh
