#include "panels/prompt_panel.h"

#include <QCheckBox>
#include <QClipboard>
#include <QGuiApplication>
#include <QInputMethodEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QShortcut>
#include <QTextBlock>
#include <QToolButton>

#include "panel_fixture.h"
#include "widgets/count_button.h"
#include "widgets/fold_header.h"
#include "widgets/notice_bar.h"
#include "widgets/prompt_edit.h"
#include "widgets/prompt_text.h"

namespace reelmesh {
namespace {

class PromptPanelTest : public PanelTest {
protected:
    PromptPanelTest() {
        panel_.resize(300, 320);
        panel_.show();
        EXPECT_TRUE(known());
    }
    template <class Widget>
    Widget& get(const char* name) {
        auto* widget = panel_.findChild<Widget*>(name);
        EXPECT_NE(widget, nullptr) << name;
        return *widget;
    }
    PromptEdit& prompt() { return get<PromptEdit>("promptText"); }
    PromptEdit& negative() { return get<PromptEdit>("promptNegative"); }
    NoticeBar& note() { return get<NoticeBar>("promptNote"); }
    void paste(const QString& text) {
        QGuiApplication::clipboard()->setText(text);
        prompt().paste();
    }
    int longestLine() {
        int longest = 0;
        for (QTextBlock line = prompt().document()->begin(); line.isValid(); line = line.next())
            longest = std::max(longest, line.length() - 1);
        return longest;
    }
    ::testing::AssertionResult counted() {
        return eventually([&] { return tokens_.isCurrent(); });
    }

    PromptPanel panel_{{draft_, tokens_, history_}};
};

/// G13.
TEST_F(PromptPanelTest, EnterIsANewLineControlEnterIsTheWindowsAndTabLeaves) {
    prompt().setFocus();
    QTest::keyClicks(&prompt(), "a");
    QTest::keyClick(&prompt(), Qt::Key_Return);
    QTest::keyClicks(&prompt(), "b");
    EXPECT_EQ(draft_.prompt(), "a\nb");
    int generated = 0;
    QShortcut shortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), &panel_);
    QObject::connect(&shortcut, &QShortcut::activated, [&] { ++generated; });
    panel_.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&panel_));
    QTest::keyClick(&prompt(), Qt::Key_Return, Qt::ControlModifier);
    EXPECT_EQ(generated, 1);
    EXPECT_EQ(draft_.prompt(), "a\nb");
    QTest::keyClick(&prompt(), Qt::Key_Tab);
    EXPECT_FALSE(prompt().hasFocus());
    EXPECT_EQ(draft_.prompt(), "a\nb");
}

TEST_F(PromptPanelTest, InputMethodCommitsTextAndNothingElse) {
    int generated = 0;
    QShortcut shortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), &panel_);
    QObject::connect(&shortcut, &QShortcut::activated, [&] { ++generated; });
    prompt().setFocus();
    QInputMethodEvent composing("qiu", {});
    QApplication::sendEvent(&prompt(), &composing);
    EXPECT_EQ(draft_.prompt(), "");
    QInputMethodEvent commit;
    commit.setCommitString("球");
    QApplication::sendEvent(&prompt(), &commit);
    EXPECT_EQ(draft_.prompt(), "球");
    EXPECT_EQ(generated, 0);
}

/// G11: the count is the tokenizer's own, of the text exactly as typed.
TEST_F(PromptPanelTest, CountIsTheTokenizersOwn) {
    FakeEngine engine;
    for (const char* text :
         {"a ball", "", "  two   spaces ", "一只 红色 的 球", "🎈 balloon", "salt &amp; pepper", "a\nb\tc"}) {
        prompt().setExactText(QString::fromUtf8(text));
        ASSERT_TRUE(counted());
        const auto tokens = engine.tokenize("", text).get();
        EXPECT_EQ(get<CountButton>("promptTokens").text(), QString("%1 / 512").arg(tokens->count)) << text;
        EXPECT_EQ(tokens_.cleaned().toStdString(), tokens->text);
    }
}

/// G12.
TEST_F(PromptPanelTest, MarkerStandsAtTheFirstDroppedCharacter) {
    QString text;
    for (int i = 1; i <= 600; ++i)
        text += QString(" &amp;  w%1").arg(i);
    prompt().setExactText(text);
    ASSERT_TRUE(counted());
    EXPECT_TRUE(tokens_.isOverLimit());
    // 511 words and the end token are kept: the 512th word is the second half of pair 256.
    EXPECT_EQ(prompt().cutPosition(), text.indexOf("w256"));
    EXPECT_EQ(get<CountButton>("promptTokens").text(), "1201 / 512");
    const QTextLayout* layout = prompt().document()->firstBlock().layout();
    int struckFrom = -1;
    for (const QTextLayout::FormatRange& range : layout->formats())
        if (range.format.fontStrikeOut()) struckFrom = range.start;
    EXPECT_EQ(struckFrom, prompt().cutPosition());
    QTextCursor cursor(prompt().document());
    cursor.setPosition(prompt().cutPosition());
    prompt().setTextCursor(cursor);
    prompt().centerCursor();
    ASSERT_FALSE(prompt().uiItems().isEmpty());
    EXPECT_EQ(prompt().uiItems().first().toMap()["text"], "✂ 512");
    prompt().setExactText("short");
    ASSERT_TRUE(counted());
    EXPECT_EQ(prompt().cutPosition(), -1);
    EXPECT_TRUE(prompt().uiItems().isEmpty());
}

TEST(CutPositionTest, ComesBackThroughCleaning) {
    const std::tuple<const char*, const char*, const char*, const char*> rows[] = {
        {"plain text here", "plain text here", "here", "here"},
        {"  two   gaps \n here", "two gaps here", "here", "here"},
        {"a &amp; b &lt;here", "a & b <here", "<here", "&lt;here"},
        {"a &amp;amp; b here", "a & b here", "here", "here"},
        {"ﬁne ﬂow here", "fine flow here", "here", "here"},
        {"一 只　球 here", "一 只 球 here", "here", "here"},
    };
    for (const auto& [raw, cleaned, from, expected] : rows) {
        const QString text = QString::fromUtf8(raw), clean = QString::fromUtf8(cleaned);
        const auto offset = static_cast<int>(clean.indexOf(QString::fromUtf8(from)));
        EXPECT_EQ(positionBeforeCleaning(text, clean, offset), text.indexOf(QString::fromUtf8(expected)))
            << raw;
    }
}

TEST_F(PromptPanelTest, ClickOnTheCountShowsTheCleanedPrompt) {
    prompt().setExactText("salt   &amp; pepper");
    ASSERT_TRUE(counted());
    get<CountButton>("promptTokens").click();
    EXPECT_TRUE(note().text().contains("salt & pepper")) << note().text().toStdString();
}

TEST_F(PromptPanelTest, PastedControlCharactersAreLeftOutAndSaid) {
    paste(QString::fromUtf8("a\a"
                            "b\x01"
                            "c\td\r\ne"));
    EXPECT_EQ(draft_.prompt(), "abc\td\ne");
    EXPECT_TRUE(note().text().startsWith("2 control characters")) << note().text().toStdString();
}

TEST_F(PromptPanelTest, PastedMegabytesAreRefusedAndSaid) {
    prompt().setExactText("kept");
    paste(QString(3 << 20, 'x'));
    EXPECT_EQ(draft_.prompt(), "kept");
    EXPECT_TRUE(note().isVisible());
    EXPECT_TRUE(note().text().contains("3.0 MiB")) << note().text().toStdString();
}

/// What QPlainTextEdit lays out at once: with a megabyte in one line the window stood still for a minute.
TEST_F(PromptPanelTest, EndlessLineIsShownBrokenAndKeptAsItIs) {
    const QString endless(PromptEdit::kMost_bytes, 'x');
    draft_.setPrompt(endless);
    EXPECT_EQ(draft_.prompt(), endless);
    EXPECT_EQ(prompt().exactText(), endless);
    EXPECT_LE(longestLine(), PromptEdit::kLongestLine);
    EXPECT_TRUE(note().text().contains("is shown broken")) << note().text().toStdString();
    ASSERT_TRUE(counted());
    EXPECT_EQ(draft_.prompt(), endless) << "counting is no edit";
    prompt().moveCursor(QTextCursor::End);
    QTest::keyClicks(&prompt(), "y");
    EXPECT_TRUE(draft_.prompt().endsWith("xy"));
    EXPECT_TRUE(draft_.prompt().contains('\n'));
}

TEST_F(PromptPanelTest, PastedEndlessLineIsBrokenAndSaid) {
    prompt().setExactText("first ");
    prompt().moveCursor(QTextCursor::End);
    paste(QString("word ").repeated(PromptEdit::kLongestLine));
    EXPECT_LE(longestLine(), PromptEdit::kLongestLine);
    EXPECT_EQ(draft_.prompt().size(), 6 + 5 * PromptEdit::kLongestLine);
    EXPECT_TRUE(note().text().contains("was broken")) << note().text().toStdString();
}

TEST(PromptText, LinesAreBrokenAtSpacesElseBetweenWholeCharacters) {
    EXPECT_EQ(inShortLines("one two three\nfour", 8), "one two\nthree\nfour");
    EXPECT_EQ(inShortLines("one two\n\nsix", 7), "one two\n\nsix");
    EXPECT_EQ(inShortLines("one two", 7, 3), "one\ntwo");
    EXPECT_EQ(inShortLines("abcdefg", 3), "abc\ndef\ng");
    const QString cameras = QString::fromUtf8("🎥🎥🎥");
    EXPECT_EQ(inShortLines(cameras, 3), QString::fromUtf8("🎥\n🎥\n🎥"));
    const QString accent = QString::fromUtf8("abe\u0301");
    EXPECT_EQ(inShortLines(accent, 3), QString::fromUtf8("ab\ne\u0301"));
    EXPECT_EQ(inShortLines("", 3), "");
}

TEST_F(PromptPanelTest, WeightsAreSaidToBeLiteralAndCanBeRemoved) {
    prompt().setExactText("a (red:1.2) ball");
    ASSERT_TRUE(note().isVisible());
    EXPECT_TRUE(note().text().contains("literal"));
    note().findChild<QToolButton*>("noticeAction1")->click();
    EXPECT_EQ(draft_.prompt(), "a red ball");
    EXPECT_FALSE(note().isVisible());
    prompt().setExactText("a ratio of 3:4 (see below)");
    EXPECT_FALSE(note().isVisible());
}

/// G16, the prompt's side.
TEST_F(PromptPanelTest, NegativePromptIsOffAtAGuidanceOfOneAndComesBack) {
    auto& fold = get<FoldHeader>("promptNegativeFold");
    EXPECT_FALSE(negative().isVisible());
    fold.click();
    EXPECT_TRUE(negative().isVisible());
    EXPECT_EQ(fold.remark(), "model default");
    negative().setExactText("blurry");
    EXPECT_EQ(fold.remark(), "edited");
    draft_.setField("guidance", "1");
    EXPECT_FALSE(negative().isEnabled());
    EXPECT_EQ(negative().toolTip(), "Not used when CFG is 1 or less.");
    draft_.setField("guidance", "5");
    EXPECT_TRUE(negative().isEnabled());
    EXPECT_EQ(negative().exactText(), "blurry");
    get<QToolButton>("promptNegativeReset").click();
    EXPECT_EQ(negative().exactText(), "");
    EXPECT_EQ(fold.remark(), "model default");
    EXPECT_FALSE(get<QToolButton>("promptNegativeReset").isEnabled());
}

TEST_F(PromptPanelTest, HistoryIsWalkedWithTheUnsentTextOnTop) {
    history_.add("first");
    history_.add("second");
    prompt().setExactText("unsent");
    const auto walk = [&](Qt::Key key) {
        QTest::keyClick(&prompt(), key, Qt::AltModifier);
        return draft_.prompt();
    };
    EXPECT_EQ(walk(Qt::Key_Up), "second");
    EXPECT_EQ(walk(Qt::Key_Up), "first");
    EXPECT_EQ(walk(Qt::Key_Up), "first");
    EXPECT_EQ(walk(Qt::Key_Down), "second");
    EXPECT_EQ(walk(Qt::Key_Down), "unsent");
    EXPECT_EQ(walk(Qt::Key_Down), "unsent");
}

TEST_F(PromptPanelTest, HistoryPopupFindsAndChooses) {
    history_.add("a red ball");
    history_.add("a blue boat");
    history_.setStarred("a red ball", true);
    get<QToolButton>("promptHistory").click();
    auto* list = panel_.findChild<QListWidget*>("promptHistoryList");
    ASSERT_NE(list, nullptr);
    EXPECT_EQ(list->item(0)->text(), "a red ball");
    panel_.findChild<QLineEdit*>("promptHistorySearch")->setText("boat");
    ASSERT_EQ(list->count(), 1);
    Q_EMIT list->itemClicked(list->item(0));
    EXPECT_EQ(draft_.prompt(), "a blue boat");
}

TEST_F(PromptPanelTest, StarKeepsThePrompt) {
    auto& star = get<QToolButton>("promptStar");
    EXPECT_FALSE(star.isEnabled());
    prompt().setExactText("a keeper");
    star.click();
    EXPECT_TRUE(history_.isStarred("a keeper"));
    for (int i = 0; i < PromptHistory::kMost + 50; ++i)
        history_.add(QString::number(i));
    EXPECT_TRUE(history_.isStarred("a keeper"));
    EXPECT_EQ(history_.entries().size(), PromptHistory::kMost + 1);
}

TEST(PromptHistoryTest, ComesBackFromItsFile) {
    const QTemporaryDir folder;
    const QString file = folder.filePath("prompts.json");
    {
        PromptHistory history(file);
        history.add("a");
        history.add("b");
        history.setStarred("a", true);
    }
    PromptHistory later(file);
    ASSERT_EQ(later.entries().size(), 2);
    EXPECT_EQ(later.entries().first().prompt, "b");
    EXPECT_TRUE(later.isStarred("a"));
}

TEST_F(PromptPanelTest, LinesAreCountedApart) {
    prompt().setExactText("one two\nthree four five");
    get<QCheckBox>("promptLines").click();
    ASSERT_TRUE(counted());
    EXPECT_EQ(draft_.jobCount(), 2);
    EXPECT_EQ(tokens_.count(), 4);
}

TEST_F(PromptPanelTest, FaultOfThePromptIsLedTo) {
    EXPECT_FALSE(panel_.focusFault());
    draft_.setPrompt(QString(PromptEdit::kMost_bytes + 1, 'x'));
    EXPECT_EQ(draft_.firstFault(), "prompt");
    draft_.setPrompt("");
    get<QCheckBox>("promptLines").setChecked(true);
    EXPECT_FALSE(plan_.canGenerate());
    EXPECT_TRUE(panel_.focusFault());
    EXPECT_TRUE(prompt().hasFocus());
}

TEST_F(PromptPanelTest, EveryControlHasANameAndASentence) {
    for (const char* name : {"promptText", "promptTokens", "promptNegative", "promptNegativeReset",
                             "promptHistory", "promptLines", "promptStar"}) {
        EXPECT_FALSE(get<QWidget>(name).accessibleName().isEmpty()) << name;
        EXPECT_FALSE(get<QWidget>(name).toolTip().isEmpty()) << name;
        EXPECT_NE(get<QWidget>(name).focusPolicy(), Qt::NoFocus) << name;
    }
}

} // namespace
} // namespace reelmesh
