#include "panels/parameters_panel.h"

#include <QComboBox>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include "panel_fixture.h"
#include "panels/prompt_panel.h"
#include "theme/style.h"
#include "widgets/fold_header.h"
#include "widgets/notice_bar.h"
#include "widgets/number_field.h"
#include "widgets/outcome_view.h"

namespace reelmesh {
namespace {

class ParametersPanelTest : public PanelTest {
protected:
    ParametersPanelTest() {
        panel_.resize(300, 640);
        panel_.show();
        EXPECT_TRUE(known());
    }
    template <class Widget>
    Widget& get(const char* name) {
        auto* widget = panel_.findChild<Widget*>(name);
        EXPECT_NE(widget, nullptr) << name;
        return *widget;
    }
    NumberField& number(const char* name) { return get<NumberField>(name); }
    void type(const char* name, const QString& text) {
        number(name).setFocus();
        number(name).selectAll();
        QTest::keyClicks(&number(name), text);
    }
    void enter(const char* name) { QTest::keyClick(&number(name), Qt::Key_Return); }
    void choose(const char* name, int index) {
        get<QComboBox>(name).setCurrentIndex(index);
        Q_EMIT get<QComboBox>(name).activated(index);
    }
    QStringList lines() { return get<OutcomeView>("paramOutcome").text().split('\n'); }

    ParametersPanel panel_{{draft_, plan_, presets_, models_}};
};

/// G14.
TEST_F(ParametersPanelTest, EightyFramesOfferBothNeighbours) {
    type("paramFrames", "80");
    EXPECT_FALSE(number("paramFrames").isLegal());
    EXPECT_EQ(get<QLabel>("paramFramesHintText").text(), "80: frames are 4n+1");
    EXPECT_EQ(get<QToolButton>("paramFramesNearest1").text(), "77");
    EXPECT_EQ(get<QToolButton>("paramFramesNearest2").text(), "81");
    EXPECT_TRUE(get<QToolButton>("paramFramesNearest1").isVisible());
    EXPECT_FALSE(plan_.canGenerate());
    enter("paramFrames");
    EXPECT_EQ(number("paramFrames").text(), "81");
    EXPECT_EQ(draft_.request().frames, 81);
    EXPECT_TRUE(plan_.canGenerate());
    type("paramFrames", "79");
    enter("paramFrames");
    EXPECT_EQ(draft_.request().frames, 81);
    type("paramFrames", "1");
    EXPECT_TRUE(number("paramFrames").isLegal());
    EXPECT_TRUE(draft_.isLegal());
}

TEST_F(ParametersPanelTest, GenerateIsLedToTheIllegalField) {
    type("paramSteps", "2000");
    get<QComboBox>("paramModel").setFocus();
    EXPECT_TRUE(panel_.focusFault());
    EXPECT_TRUE(number("paramSteps").hasFocus());
    EXPECT_EQ(number("paramSteps").text(), "2000");
    type("paramSteps", "16");
    EXPECT_FALSE(panel_.focusFault());
}

/// G15.
TEST_F(ParametersPanelTest, PastedSizeFillsBothSidesAndOffGridOffersNeighbours) {
    auto* line = number("paramWidth").findChild<QLineEdit*>();
    line->selectAll();
    line->insert("1280*720");
    Q_EMIT line->textEdited(line->text());
    EXPECT_EQ(draft_.request().width, 1280);
    EXPECT_EQ(draft_.request().height, 720);
    EXPECT_EQ(number("paramWidth").text(), "1280");
    EXPECT_EQ(number("paramHeight").text(), "720");
    EXPECT_TRUE(get<QComboBox>("paramSize").placeholderText().contains("untrained size"));
    type("paramWidth", "833");
    EXPECT_EQ(get<QToolButton>("paramWidthNearest1").text(), "832");
    EXPECT_EQ(get<QToolButton>("paramWidthNearest2").text(), "848");
    EXPECT_EQ(get<QLabel>("paramWidthHintText").text(), "833: sides are multiples of 16");
}

TEST_F(ParametersPanelTest, SizesOfTheFamilySwapAndLock) {
    choose("paramSize", 1);
    EXPECT_EQ(draft_.request().width, 176);
    EXPECT_EQ(draft_.request().height, 96);
    get<QToolButton>("paramSwap").click();
    EXPECT_EQ(draft_.request().width, 96);
    EXPECT_EQ(draft_.request().height, 176);
    get<QToolButton>("paramSwap").click();
    get<QToolButton>("paramLock").click();
    type("paramWidth", "352");
    EXPECT_EQ(draft_.request().height, 192);
    EXPECT_TRUE(draft_.isLegal());
}

TEST_F(ParametersPanelTest, SecondsAndFramesFollowEachOther) {
    EXPECT_EQ(number("paramSeconds").text(), "1.06");
    type("paramFrames", "81");
    EXPECT_EQ(number("paramSeconds").text(), "5.06");
    type("paramSeconds", "1,06");
    EXPECT_EQ(draft_.request().frames, 17);
    number("paramSeconds").stepBy(1);
    EXPECT_EQ(draft_.request().frames, 21);
    type("paramSeconds", "5");
    EXPECT_EQ(get<QToolButton>("paramSecondsNearest2").text(), "5.06");
    enter("paramSeconds");
    EXPECT_EQ(draft_.request().frames, 81);
    type("paramFps", "23,976");
    EXPECT_EQ(draft_.request().fps, (FrameRate{24000, 1001}));
    EXPECT_EQ(number("paramSeconds").text(), "3.38");
    type("paramFps", "500");
    EXPECT_EQ(draft_.firstFault(), "fps");
}

TEST_F(ParametersPanelTest, StepChips) {
    get<QToolButton>("paramSteps40").click();
    EXPECT_EQ(draft_.request().steps, 40);
    EXPECT_TRUE(get<QToolButton>("paramSteps40").isChecked());
    type("paramSteps", "41");
    EXPECT_FALSE(get<QToolButton>("paramSteps40").isChecked());
}

TEST_F(ParametersPanelTest, TouchingTheShiftEndsAuto) {
    auto& automatic = get<QToolButton>("paramShiftAuto");
    EXPECT_TRUE(automatic.isChecked());
    EXPECT_EQ(number("paramShift").text(), "3.0");
    number("paramShift").stepBy(1);
    EXPECT_FALSE(automatic.isChecked());
    EXPECT_EQ(draft_.request().shift, 3.1);
    automatic.click();
    EXPECT_FALSE(draft_.request().shift);
    EXPECT_EQ(number("paramShift").text(), "3.0");
}

/// G17, the window's side: what the field holds is the number that the job gets.
TEST_F(ParametersPanelTest, SeedsGoAroundUnchanged) {
    auto& seed = get<QLineEdit>("paramSeed");
    EXPECT_EQ(seed.text(), "");
    EXPECT_EQ(seed.placeholderText(), "drawn when queued");
    QTest::keyClicks(&seed, "18446744073709551615");
    EXPECT_EQ(draft_.requests().front().seed, UINT64_MAX);
    EXPECT_EQ(get<QComboBox>("paramSeedMode").currentText(), "Fixed");
    QTest::keyClicks(&seed, "0");
    EXPECT_TRUE(seed.property("illegal").toBool());
    EXPECT_EQ(seed.text(), "184467440737095516150");
    EXPECT_FALSE(draft_.isLegal());
    choose("paramSeedMode", 0);
    EXPECT_EQ(seed.text(), "");
    EXPECT_TRUE(draft_.isLegal());
    get<QToolButton>("paramDice").click();
    EXPECT_FALSE(seed.text().isEmpty());
    EXPECT_LE(*draft_.request().seed, 0x7fffffffU);
    EXPECT_FALSE(get<QToolButton>("paramSeedReuse").isEnabled());
    draft_.rememberSeed(99);
    get<QToolButton>("paramSeedReuse").click();
    EXPECT_EQ(seed.text(), "99");
}

TEST_F(ParametersPanelTest, TwoExpertsHaveAPairAndABoundary) {
    EXPECT_TRUE(number("paramCfg").isVisible());
    EXPECT_FALSE(number("paramCfgHigh").isVisible());
    get<FoldHeader>("paramAdvanced").click();
    EXPECT_FALSE(number("paramBoundary").isVisible());
    useModel("/models/wan2.2-t2v-a14b");
    EXPECT_FALSE(number("paramCfg").isVisible());
    EXPECT_EQ(number("paramCfgHigh").text(), "4.0");
    EXPECT_EQ(number("paramCfgLow").text(), "3.0");
    EXPECT_TRUE(number("paramBoundary").isVisible());
    type("paramCfgLow", "3,5");
    EXPECT_EQ(draft_.request().guidance2, 3.5);
}

/// G18: the line follows a change, off the GUI thread.
TEST_F(ParametersPanelTest, OutcomeHasThreeLinesOfTheDraft) {
    useModel("/models/wan2.1-t2v-1.3b");
    ASSERT_TRUE(eventually([&] { return lines().size() == 3; }));
    EXPECT_EQ(lines()[0], "81 frames = 5.06 s at 16 fps · 32 760 tokens");
    EXPECT_TRUE(lines()[1].startsWith("CFG 2, 2 CPU ranks · ≈ ")) << lines()[1].toStdString();
    EXPECT_EQ(lines()[2].section(" · ", 1), "disk ≈ 6 MB");
    type("paramFrames", "33");
    ASSERT_TRUE(eventually([&] { return lines()[0] == "33 frames = 2.06 s at 16 fps · 14 040 tokens"; }));
}

TEST_F(ParametersPanelTest, OutcomeOfEveryPublishedSize) {
    const std::tuple<const char*, std::int64_t, std::int64_t, const char*> rows[] = {
        {"wan2.1-t2v-14b", 832, 480, "81 frames = 5.06 s at 16 fps · 32 760 tokens"},
        {"wan2.2-ti2v-5b", 1280, 704, "121 frames = 5.04 s at 24 fps · 27 280 tokens"}};
    for (const auto& [model, width, height, line] : rows) {
        useModel(QString("/models/") + model);
        draft_.setSize(width, height);
        EXPECT_TRUE(eventually([&, line = line] { return lines()[0] == line; })) << lines()[0].toStdString();
    }
}

TEST_F(ParametersPanelTest, ImpossibleOutcomeHasButtonsThatWork) {
    useModel("/models/wan2.1-t2v-14b");
    auto& outcome = get<OutcomeView>("paramOutcome");
    ASSERT_TRUE(eventually([&] { return outcome.isProblem(); }));
    EXPECT_TRUE(outcome.text().startsWith("Not possible: needs ≈ ")) << outcome.text().toStdString();
    EXPECT_TRUE(panel_.focusFault());
    auto& fix = get<QToolButton>("outcomeFix1");
    EXPECT_TRUE(fix.hasFocus());
    fix.click();
    ASSERT_TRUE(eventually([&] { return !outcome.isProblem() && plan_.isCurrent(); }));
    EXPECT_FALSE(fix.isVisible());
    EXPECT_TRUE(plan_.canGenerate());
}

/// G19.
TEST_F(ParametersPanelTest, SavedPresetIsMarkedWhenEditedAndEqualAfterARestart) {
    auto& preset = get<QComboBox>("paramPreset");
    EXPECT_GE(preset.count(), 3);
    choose("paramPreset", preset.findText("First video"));
    EXPECT_EQ(preset.currentText(), "First video");
    type("paramSteps", "21");
    EXPECT_EQ(preset.currentText(), "First video (modified)");
    EXPECT_EQ(presets_.save("Mine"), "");
    EXPECT_EQ(preset.currentText(), "Mine");
    const JobRequest before = draft_.complete();

    RequestDraft later;
    later.connectTo(client_);
    ASSERT_TRUE(eventually([&] { return later.rules() != nullptr; }));
    PresetList again(later, folder_.filePath("presets"));
    ASSERT_TRUE(again.choose("Mine"));
    EXPECT_EQ(later.complete(), before);
    EXPECT_FALSE(again.isModified());
}

TEST_F(ParametersPanelTest, PresetsAreImportedAndExported) {
    const QString file = folder_.filePath("shared.json");
    type("paramSteps", "22");
    EXPECT_EQ(presets_.exportFile(file), "");
    type("paramSteps", "23");
    EXPECT_EQ(presets_.importFile(file), "");
    EXPECT_EQ(draft_.complete().steps, 22);
    EXPECT_EQ(presets_.current(), "shared");
    EXPECT_NE(presets_.importFile("/no/file.json"), "");
    EXPECT_NE(presets_.save("a/b"), "");
}

TEST_F(ParametersPanelTest, BuiltInPresetsAreLegalForTheirFamily) {
    for (const char* model : {"wan2.1-t2v-1.3b", "wan2.1-t2v-14b", "wan2.2-t2v-a14b", "wan2.2-ti2v-5b", ""}) {
        useModel(*model ? QString("/models/") + model : QString());
        EXPECT_FALSE(presets_.presets().isEmpty()) << model;
        for (const PresetList::Preset& preset : presets_.presets()) {
            ASSERT_TRUE(presets_.choose(preset.name));
            EXPECT_TRUE(draft_.isLegal()) << model << " " << preset.name.toStdString();
            EXPECT_FALSE(presets_.isModified());
        }
    }
}

TEST_F(ParametersPanelTest, MissingModelIsSaidInPlace) {
    models_.add("/models/missing-one");
    draft_.setModel("/models/missing-one");
    ASSERT_TRUE(eventually([&] { return draft_.modelError().has_value(); }));
    auto& note = get<NoticeBar>("paramNote");
    EXPECT_TRUE(note.isVisible());
    EXPECT_TRUE(note.text().contains("missing-one")) << note.text().toStdString();
    ASSERT_TRUE(
        eventually([&] { return get<QComboBox>("paramModel").currentText().contains("not usable"); }));
    EXPECT_TRUE(panel_.focusFault());
    EXPECT_TRUE(get<QComboBox>("paramModel").hasFocus());
    note.findChild<QToolButton*>("noticeAction1")->click();
    ASSERT_TRUE(eventually([&] { return draft_.isLegal(); }));
    EXPECT_FALSE(note.isVisible());
    bool asked = false;
    QObject::connect(&panel_, &ParametersPanel::addModelAsked, [&] { asked = true; });
    choose("paramModel", get<QComboBox>("paramModel").count() - 1);
    EXPECT_TRUE(asked);
    EXPECT_EQ(draft_.model(), "");
}

/// G2: 280 px are enough, nothing scrolls sideways, nothing is clipped.
TEST_F(ParametersPanelTest, FitsTheNarrowestColumn) {
    panel_.resize(280, 500);
    type("paramFrames", "80");
    type("paramWidth", "833");
    get<FoldHeader>("paramAdvanced").setChecked(true);
    QTest::qWait(20);
    auto& scroll = get<QScrollArea>("paramScroll");
    EXPECT_LE(scroll.widget()->minimumSizeHint().width(), 280 - 8);
    EXPECT_EQ(scroll.horizontalScrollBar()->maximum(), 0);
    EXPECT_LE(panel_.minimumSizeHint().width(), 280);
    for (const QLabel* label : panel_.findChildren<QLabel*>()) {
        if (!label->isVisible() || label->wordWrap() || label->text().isEmpty()) continue;
        EXPECT_GE(label->width(), label->sizeHint().width()) << label->text().toStdString();
    }
}

TEST_F(ParametersPanelTest, EveryControlHasANameASentenceAndABuddy) {
    for (const char* name :
         {"paramModel",     "paramPreset",   "paramSize",     "paramWidth",     "paramHeight",
          "paramSwap",      "paramLock",     "paramFrames",   "paramSeconds",   "paramFps",
          "paramSteps",     "paramCfg",      "paramShift",    "paramShiftAuto", "paramSampler",
          "paramSeed",      "paramSeedMode", "paramDice",     "paramSeedReuse", "paramCount",
          "paramPrecision", "paramPreview",  "paramBoundary", "paramCfgHigh",   "paramCfgLow"}) {
        EXPECT_FALSE(get<QWidget>(name).accessibleName().isEmpty()) << name;
        EXPECT_FALSE(get<QWidget>(name).toolTip().isEmpty()) << name;
        EXPECT_NE(get<QWidget>(name).focusPolicy(), Qt::NoFocus) << name;
    }
}

/// Pictures for the eye: REELMESH_SCREENS names a folder.
TEST_F(ParametersPanelTest, Pictures) {
    const QString folder = qEnvironmentVariable("REELMESH_SCREENS");
    if (folder.isEmpty()) GTEST_SKIP() << "no folder for pictures";
    QDir().mkpath(folder);
    QWidget side;
    auto* column = new QVBoxLayout(&side);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(4);
    auto* prompt = new PromptPanel({draft_, tokens_, history_});
    column->addWidget(prompt, 0);
    column->addWidget(&panel_, 1);
    prompt->setFixedHeight(190);
    side.resize(300, 720);
    side.show();
    draft_.setPrompt("a red ball bouncing over a green meadow");
    ASSERT_TRUE(presets_.choose("First video"));
    for (const Theme theme : {Theme::Dark, Theme::Light}) {
        applyTheme(*qApp, theme);
        const QString name = folder + (theme == Theme::Dark ? "/dark-" : "/light-");
        const auto shoot = [&](const char* what) {
            ASSERT_TRUE(known());
            QTest::qWait(150);
            side.grab().save(name + what + ".png");
        };
        shoot("plain");
        type("paramFrames", "80");
        shoot("illegal");
        type("paramFrames", "17");
        models_.add("/models/wan2.1-t2v-14b");
        useModel("/models/wan2.1-t2v-14b");
        draft_.setSize(1280, 720);
        draft_.setField("frames", "81");
        shoot("impossible");
        useModel("/models/wan2.2-t2v-a14b");
        get<FoldHeader>("paramAdvanced").setChecked(true);
        shoot("experts");
        get<FoldHeader>("paramAdvanced").setChecked(false);
        useModel("");
        ASSERT_TRUE(presets_.choose("First video"));
        QString text;
        for (int i = 0; i < 520; ++i)
            text += QString("word%1 ").arg(i);
        draft_.setPrompt(text);
        prompt->findChild<QAbstractButton*>("promptNegativeFold")->setChecked(true);
        prompt->setFixedHeight(330);
        ASSERT_TRUE(known());
        auto* edit = prompt->findChild<QPlainTextEdit*>("promptText");
        QTextCursor cursor(edit->document());
        cursor.setPosition(tokens_.cutPosition());
        edit->setTextCursor(cursor);
        edit->centerCursor();
        shoot("long");
        prompt->findChild<QAbstractButton*>("promptNegativeFold")->setChecked(false);
        prompt->setFixedHeight(190);
        draft_.setPrompt("a red ball bouncing over a green meadow");
    }
    column->removeWidget(&panel_);
    panel_.setParent(nullptr);
    applyTheme(*qApp, Theme::Dark);
}

} // namespace
} // namespace reelmesh
