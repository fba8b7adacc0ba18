#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QLineEdit>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTableView>
#include <QToolButton>

#include <random>

#include "app_fixture.h"
#include "models/log_filter.h"
#include "models/log_model.h"
#include "panels/log_panel.h"
#include "theme/style.h"
#include "widgets/segmented_control.h"

namespace reelmesh {
namespace {

LogLine line(LogLevel level, const std::string& text, JobId job = 41) {
    return {level, 1764543242118, job, text};
}

TEST(LogModelTest, HoldsTheNewestLinesAndNoMore) {
    LogModel model;
    const auto add = [&](int from, int to) {
        for (int i = from; i < to; ++i)
            model.add(line(LogLevel::Info, std::to_string(i)));
    };
    // The tester looks at every row after every change: only around the limit.
    add(0, LogModel::kLimit - 5);
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    add(LogModel::kLimit - 5, LogModel::kLimit + 5);
    EXPECT_EQ(model.rowCount(), LogModel::kLimit + 5 - LogModel::kDropped);
    EXPECT_EQ(model.index(0, LogModel::Text).data().toString(), QString::number(LogModel::kDropped));
    EXPECT_EQ(model.index(model.rowCount() - 1, LogModel::Text).data().toString(),
              QString::number(LogModel::kLimit + 4));
    model.clear();
    EXPECT_EQ(model.rowCount(), 0);
}

TEST(LogModelTest, ALineReadsAsItWasWritten) {
    LogModel model;
    model.add(line(LogLevel::Warning, "GPU 5 throttles"));
    model.add(line(LogLevel::Error, "no job", 0));
    EXPECT_EQ(model.index(0, LogModel::Level).data().toString(), "warn");
    EXPECT_EQ(model.index(0, LogModel::Job).data().toString(), "job 41");
    EXPECT_TRUE(model.lineText(0).endsWith("warn job 41 GPU 5 throttles"));
    EXPECT_TRUE(model.lineText(1).endsWith(".118 error no job"));
}

TEST(LogFilterTest, LevelAndWordsChooseUnderRandomChanges) {
    LogModel model;
    LogFilter filter;
    filter.setSourceModel(&model);
    const QAbstractItemModelTester tester(&filter, QAbstractItemModelTester::FailureReportingMode::Fatal);
    std::mt19937 random(7);
    const LogLevel levels[] = {LogLevel::Debug, LogLevel::Info, LogLevel::Warning, LogLevel::Error};
    for (int i = 0; i < 400; ++i) {
        model.add(line(levels[random() % 4], random() % 2 ? "step of a mesh" : "Saved a file", random() % 3));
        if (random() % 20 == 0) filter.setLevel(levels[random() % 4]);
        if (random() % 20 == 0) filter.setWords(random() % 2 ? "saved FILE" : "");
        if (random() % 150 == 0) model.clear();
    }
    filter.setLevel(LogLevel::Warning);
    filter.setWords("saved FILE");
    int expected = 0;
    for (int row = 0; row < model.rowCount(); ++row) {
        const QModelIndex index = model.index(row, LogModel::Text);
        expected += index.data(LogModel::LevelRole).toInt() >= int(LogLevel::Warning) &&
                    index.data().toString() == "Saved a file";
    }
    EXPECT_GT(expected, 0);
    EXPECT_EQ(filter.rowCount(), expected);
}

class LogPanelTest : public ::testing::Test {
protected:
    LogPanelTest() {
        panel_.resize(620, 200);
        panel_.show();
    }
    template <class T>
    T* part(const char* name) {
        return panel_.findChild<T*>(name);
    }
    int shownLines() { return part<QTableView>("logView")->model()->rowCount(); }

    LogModel model_;
    LogPanel panel_{model_};
};

TEST_F(LogPanelTest, LevelAndFilterChooseWhatIsShown) {
    model_.add(line(LogLevel::Debug, "block 3"));
    model_.add(line(LogLevel::Info, "mesh ready"));
    model_.add(line(LogLevel::Warning, "throttles", 5));
    model_.add(line(LogLevel::Error, "disk full"));
    EXPECT_EQ(shownLines(), 3);
    auto* level = part<SegmentedControl>("logLevel");
    for (const auto& [choice, lines] : {std::pair(0, 4), std::pair(2, 2), std::pair(3, 1)}) {
        const QRect place = level->uiItems()[choice].toMap().value("rect").toRect();
        QTest::mouseClick(level, Qt::LeftButton, {}, place.center());
        EXPECT_EQ(shownLines(), lines);
    }
    QTest::keyClick(level, Qt::Key_Left);
    EXPECT_EQ(level->text(), "Warnings");
    QTest::keyClicks(part<QLineEdit>("logFilter"), "job 5");
    EXPECT_EQ(shownLines(), 1);
}

TEST_F(LogPanelTest, FollowsTheNewestLineUntilTheUserScrollsUp) {
    for (int i = 0; i < 100; ++i)
        model_.add(line(LogLevel::Info, std::to_string(i)));
    QScrollBar& bar = *part<QTableView>("logView")->verticalScrollBar();
    auto* follow = part<QToolButton>("logFollow");
    EXPECT_TRUE(eventually([&] { return bar.maximum() > 0 && bar.value() == bar.maximum(); }));
    bar.triggerAction(QAbstractSlider::SliderToMinimum);
    EXPECT_FALSE(follow->isChecked());
    model_.add(line(LogLevel::Info, "new"));
    QApplication::processEvents();
    EXPECT_EQ(bar.value(), 0);
    QTest::mouseClick(follow, Qt::LeftButton);
    EXPECT_EQ(bar.value(), bar.maximum());
}

TEST_F(LogPanelTest, CopiesTheSelectedLinesOrAllThatAreShown) {
    model_.add(line(LogLevel::Debug, "hidden"));
    model_.add(line(LogLevel::Info, "first"));
    model_.add(line(LogLevel::Info, "second"));
    QTest::mouseClick(part<QToolButton>("logCopy"), Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text(), model_.lineText(1) + '\n' + model_.lineText(2));
    part<QTableView>("logView")->selectRow(1);
    QTest::mouseClick(part<QToolButton>("logCopy"), Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text(), model_.lineText(2));
}

TEST_F(LogPanelTest, TheFoldersButtonSaysWhyItCannot) {
    auto* folder = part<QToolButton>("logFolder");
    EXPECT_FALSE(folder->isEnabled());
    EXPECT_TRUE(folder->toolTip().contains("no log file"));
    panel_.setLogFile("/state/reelmesh.log");
    QSignalSpy asked(&panel_, &LogPanel::folderRequested);
    QTest::mouseClick(folder, Qt::LeftButton);
    ASSERT_EQ(asked.count(), 1);
    EXPECT_EQ(asked[0][0].toString(), "/state/reelmesh.log");
}

TEST(LogTest, LinesOfAJobComeFromTheEngine) {
    EngineClient client;
    LogModel model;
    QObject::connect(&client, &EngineClient::logged, &model, &LogModel::add);
    FakeScript script;
    script.log = {line(LogLevel::Info, "mesh single ready", 0)};
    openFake(client, script);
    ASSERT_TRUE(eventually([&] { return client.state() == EngineClient::State::Ready; }));
    client.submit(smallRequest());
    ASSERT_TRUE(eventually([&] { return model.rowCount() == 1; }));
    EXPECT_EQ(model.index(0, LogModel::Job).data().toString(), "job 1");
}

/// Pictures for the eye, where REELMESH_RENDER names a folder.
TEST(LogPanelPictures, Render) {
    const QString folder = qEnvironmentVariable("REELMESH_RENDER");
    if (folder.isEmpty()) GTEST_SKIP();
    for (const Theme theme : {Theme::Dark, Theme::Light}) {
        applyTheme(*qApp, theme);
        LogModel model;
        model.add(line(LogLevel::Info, "mesh cfg2,ulysses4 ready, 8 ranks, 34 ms"));
        model.add(line(LogLevel::Info, "prompt: 38 of 512 tokens"));
        model.add(line(LogLevel::Warning, "GPU 5 throttles: SW thermal, 1590 MHz, 83 °C"));
        model.add(line(LogLevel::Info, "step 9/40: 1.08 s, median 0.95 s"));
        model.add(line(LogLevel::Info, "step 12/40: 0.95 s, 10.06 GB per rank"));
        model.add(line(LogLevel::Error, "Save: disk full, needs ≈ 6 MB, 3.1 MB free", 38));
        LogPanel panel(model);
        panel.setLogFile("/state/reelmesh.log");
        for (const QSize size : {QSize(280, 220), QSize(620, 260)}) {
            panel.resize(size);
            panel.show();
            QApplication::processEvents();
            panel.grab().save(QString("%1/log-%2-%3.png")
                                  .arg(folder)
                                  .arg(size.width())
                                  .arg(theme == Theme::Dark ? "dark" : "light"));
        }
    }
    applyTheme(*qApp, Theme::Dark);
}

} // namespace
} // namespace reelmesh
