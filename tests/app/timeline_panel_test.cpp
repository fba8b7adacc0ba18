#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTimer>
#include <QToolButton>

#include <fstream>

#include "panels/event_details.h"
#include "panels/timeline_panel.h"
#include "panels/totals_view.h"
#include "timeline_fixture.h"
#include "widgets/notice_bar.h"

namespace reelmesh {
namespace {

class TimelinePanelTest : public ::testing::Test {
protected:
    TimelinePanelTest() {
        panel.resize(1400, 400);
        panel.show();
    }
    void open(const QString& path) {
        QSignalSpy opened(&panel, &TimelinePanel::opened);
        panel.openTrace(path);
        ASSERT_TRUE(eventually([&] { return opened.size() == 1 && panel.view().isReady(); }));
    }
    QString kept(const Trace& trace) const {
        const QString path = folder.filePath("kept.reeltrace");
        EXPECT_TRUE(write_trace(path.toStdString(), trace));
        return path;
    }
    template <class Widget>
    Widget* find(const char* name) const {
        return panel.findChild<Widget*>(name);
    }
    TotalsView& totals() const { return *panel.findChild<TotalsView*>(); }
    void waitForTotals(const TimeRange& range) {
        QSignalSpy updated(&totals(), &TotalsView::updated);
        focus.setRange(range);
        ASSERT_TRUE(eventually([&] { return !updated.isEmpty(); }));
    }

    QTemporaryDir folder;
    TelemetryStore store;
    ViewFocus focus;
    TimelinePanel panel{store, focus};
};

TEST_F(TimelinePanelTest, EmptyItOffersToOpenATrace) {
    EXPECT_TRUE(find<QLabel>("emptySentence")->isVisible());
    EXPECT_EQ(find<QLabel>("emptySentence")->text(), "Shows what each rank does while a job runs");
    bool asked = false;
    QTimer::singleShot(0, &panel, [&] {
        auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
        asked = dialog != nullptr;
        if (dialog) dialog->reject();
    });
    find<QToolButton>("emptyAction")->click();
    EXPECT_TRUE(asked);
    EXPECT_FALSE(panel.view().isVisible());
    EXPECT_FALSE(find<QToolButton>("timelineSave")->isEnabled());
    EXPECT_FALSE(find<QToolButton>("timelineSave")->toolTip().isEmpty());
}

// G40
TEST_F(TimelinePanelTest, TotalsOfASelectionAreThoseOfInspect) {
    for (const bool parts : {true, false}) {
        const Trace trace = recordedTrace({.steps = 3, .blocks = 6, .parts = parts});
        open(kept(trace));
        const TimeRange span = store.view().span;
        const std::int64_t length = span.end_ns - span.begin_ns;
        for (const auto& [begin, end] :
             {std::pair(0.31, 0.47), std::pair(0.5, 0.5005), std::pair(0.0, 1.0)}) {
            const TimeRange range{span.begin_ns + static_cast<std::int64_t>(begin * double(length)),
                                  span.begin_ns + static_cast<std::int64_t>(end * double(length))};
            waitForTotals(range);
            EXPECT_TRUE(totals().model().rows() == trace_totals(trace.events, range.begin_ns, range.end_ns))
                << parts << " " << begin;
        }
        EXPECT_GT(totals().model().rowCount(), 0);
        EXPECT_TRUE(find<QWidget>("timelineTotals")->isVisible());
    }
}

TEST_F(TimelinePanelTest, CopiesTheTotalsAsCsv) {
    open(kept(recordedTrace({.steps = 2, .blocks = 3})));
    waitForTotals(store.view().span);
    find<QToolButton>("timelineCopyCsv")->click();
    const QStringList lines = QGuiApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
    EXPECT_EQ(lines.first(), "rank,kind,busy_ns,comm_ns,exposed_ns,wait_ns,bytes,gb_s");
    EXPECT_EQ(static_cast<std::size_t>(lines.size()), totals().model().rows().size() + 1);
}

TEST_F(TimelinePanelTest, DamagedTraceIsANoticeAndLeavesWhatIsShown) {
    const QString good = kept(recordedTrace({.steps = 2, .blocks = 3}));
    open(good);
    const std::uint64_t events = store.events();
    const QString bad = folder.filePath("bad.reeltrace");
    QFile::copy(good, bad);
    QFile file(bad);
    ASSERT_TRUE(file.open(QIODevice::ReadWrite) && file.seek(file.size() / 2) && file.write("xxxx") == 4);
    file.close();
    panel.openTrace(bad);
    auto* notice = panel.findChild<NoticeBar*>();
    ASSERT_TRUE(eventually([&] { return notice->isVisible() && notice->kind() == NoticeBar::Kind::Error; }));
    EXPECT_TRUE(notice->text().contains("bad.reeltrace"));
    EXPECT_TRUE(notice->text().contains("damaged"));
    EXPECT_NE(notice->findChild<QToolButton*>("noticeAction1"), nullptr);
    EXPECT_EQ(store.events(), events);
}

// G42
TEST_F(TimelinePanelTest, DroppedEventsAreShown) {
    Trace trace = recordedTrace({.steps = 2, .blocks = 3});
    trace.dropped = 1234;
    open(kept(trace));
    EXPECT_TRUE(find<QLabel>("timelineRemark")->text().contains("dropped " + QLocale().toString(1234)));
    EXPECT_TRUE(find<QLabel>("timelineRemark")->text().contains("%"));
    store.append({}, 6);
    ASSERT_TRUE(eventually([&] {
        return find<QLabel>("timelineRemark")->text().contains("dropped " + QLocale().toString(1240));
    }));
}

TEST_F(TimelinePanelTest, SavesAndExports) {
    const Trace trace = recordedTrace({.steps = 2, .blocks = 3});
    open(kept(trace));
    QSignalSpy written(&panel, &TimelinePanel::written);
    panel.saveTrace(folder.filePath("again.reeltrace"));
    panel.exportJson(folder.filePath("run.json"));
    ASSERT_TRUE(eventually([&] { return written.size() == 2; }));
    EXPECT_EQ(read_trace(folder.filePath("again.reeltrace").toStdString())->events.size(),
              trace.events.size());
    QFile json(folder.filePath("run.json"));
    ASSERT_TRUE(json.open(QIODevice::ReadOnly));
    EXPECT_EQ(json.readAll().toStdString(), trace_json(toTrace(store.view())));
}

TEST_F(TimelinePanelTest, DetailIsForTheNextJob) {
    QSignalSpy changed(&panel, &TimelinePanel::detailChanged);
    EXPECT_EQ(panel.detail(), 1);
    find<QComboBox>("timelineDetail")->setCurrentIndex(2);
    ASSERT_EQ(changed.size(), 1);
    EXPECT_EQ(changed.front().front().toInt(), 2);
}

TEST_F(TimelinePanelTest, CtrlFSearchesAndEscapeEndsIt) {
    open(kept(recordedTrace({.steps = 2, .blocks = 3})));
    panel.activateWindow();
    panel.view().setFocus();
    QTest::keyClick(&panel.view(), Qt::Key_F, Qt::ControlModifier);
    auto* words = find<QLineEdit>("timelineSearchText");
    ASSERT_TRUE(words->isVisible());
    QTest::keyClicks(words, "exchange");
    QTest::keyClick(words, Qt::Key_Escape);
    EXPECT_FALSE(words->isVisible());
    EXPECT_EQ(words->text(), "");
}

TEST_F(TimelinePanelTest, PinnedEventStandsBesideTheRows) {
    open(kept(recordedTrace({.steps = 2, .blocks = 3})));
    panel.view().pin(TimelineFixture::exchange(3, 2));
    auto* details = panel.findChild<EventDetails*>();
    ASSERT_TRUE(details->isVisible());
    EXPECT_TRUE(details->text().startsWith("all-to-all"));
    find<QToolButton>("timelineUnpin")->click();
    EXPECT_FALSE(details->isVisible());
}

TEST(TotalsModelTest, KeepsItsPromisesWhileRowsChange) {
    TotalsModel model;
    QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    model.setRows({{.rank = 0}, {.rank = 0, .kind = "attention", .busy_ns = 5}}, {"GPU 0"});
    EXPECT_EQ(model.rowCount(), 1);
    model.setShowsKinds(true);
    EXPECT_EQ(model.rowCount(), 2);
    EXPECT_EQ(model.index(0, TotalsModel::Rank).data().toString(), "GPU 0");
    EXPECT_EQ(model.index(0, TotalsModel::Rate).data().toString(), "–");
    model.setRows({}, {});
    EXPECT_EQ(model.rowCount(), 0);
}

} // namespace
} // namespace reelmesh
