#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QWheelEvent>

#include "timeline/event_search.h"
#include "timeline/event_text.h"
#include "timeline_fixture.h"

namespace reelmesh {
namespace {

constexpr RecordedRun kSmall{.branches = 2, .ulysses = 2, .steps = 3, .blocks = 4, .slowRank = 1};

using TimelineTest = TimelineFixture;

/// Rectangles in a pixel column of a band, at most.
int fullestColumn(const DrawBand& band, int width) {
    std::vector<int> columns(static_cast<std::size_t>(width) + 1, 0);
    for (const DrawRect& rect : band.rects)
        for (int x = rect.x0; x < rect.x1; ++x)
            ++columns[static_cast<std::size_t>(x)];
    return *std::max_element(columns.begin(), columns.end());
}

std::uint64_t eventsIn(const DrawRow& row) {
    std::uint64_t sum = 0;
    for (const DrawBand& band : row.bands)
        for (const DrawRect& rect : band.rects)
            sum += rect.waiting ? 0 : rect.count;
    return sum;
}

// G38: the sizes that decide the time of a frame; times are in tests/bench/timeline_bench.
TEST_F(TimelineTest, MillionEventsAreAFewRectanglesInEveryView) {
    QElapsedTimer clock;
    clock.start();
    show(longTrace(1'000'000));
    ASSERT_GE(store.events(), 1'000'000U);
    EXPECT_LT(clock.elapsed(), 10'000); // a hang guard: five times what opening may take
    const TimeRange whole = view->range();
    for (int i = 0; i < 60; ++i) {
        const TimeAxis axis(view->range(), 1000);
        view->setRange(i % 20 == 19 ? whole
                       : i % 2 == 0 ? axis.zoomed(0.55, 37.0 * (i % 27), whole)
                                    : axis.panned(300 - 40.0 * (i % 15), whole));
        settle();
        const DrawList& list = *view->drawList();
        for (const DrawRow& row : list.rows)
            for (const DrawBand& band : row.bands)
                ASSERT_LE(fullestColumn(band, list.width), 2);
    }
    view->setRange(whole);
    settle();
    // Nothing is lost by folding: parts and exchanges of rank 1, a third of whose blocks are told by them.
    std::uint64_t expected = 0;
    for (const auto& [key, lane] : view->trace().lanes)
        if (key.rank == 1 && (key.kind == EventKind::Part || key.kind == EventKind::Exchange))
            expected += lane.size();
    EXPECT_EQ(eventsIn(view->drawList()->rows[1]), expected);
}

TEST_F(TimelineTest, MillionEventsFitIntoTheirMemory) {
    constexpr double kBudget = 96.0 * 1024 * 1024;
    EXPECT_LT(1e6 / LaneChunk::kEvents * sizeof(LaneChunk), 0.75 * kBudget);
    store.open(longTrace(1'000'000));
    std::size_t chunks = 0;
    for (const auto& [key, lane] : store.view().lanes)
        chunks += lane.numChunks();
    EXPECT_LT(static_cast<double>(chunks * sizeof(LaneChunk)), kBudget);
}

// G39
TEST_F(TimelineTest, TooltipSaysWhatTheExportedJsonSays) {
    Trace trace = recordedTrace(kSmall);
    const QJsonObject json = QJsonDocument::fromJson(QByteArray::fromStdString(trace_json(trace))).object();
    show(std::move(trace));
    const EventRef ref = exchange(0, 4);
    lookAt(ref);
    hover(view->placeOf(ref).center());
    const auto* tip = view->findChild<QWidget*>("timelineTip");
    ASSERT_TRUE(tip->isVisible());
    const QString text = tip->property("text").toString();
    const TelemetryEvent event = *eventAt(view->trace(), ref);
    int found = 0;
    for (const QJsonValue& value : json["traceEvents"].toArray()) {
        const QJsonObject slice = value.toObject(), about = slice["args"].toObject();
        if (slice["ph"] != "X" || slice["pid"] != 0 || slice["tid"] != 1 || about["group"] != "ulysses" ||
            about["sequence"] != int(event.sequence))
            continue;
        ++found;
        for (const QString& part : {bytesText(quint64(about["bytes"].toDouble())) + " sent",
                                    transferRateText(about["algorithm_gb_s"].toDouble() * 1e9) + " algorithm",
                                    transferRateText(about["bus_gb_s"].toDouble() * 1e9) + " bus",
                                    durationText(std::llround(about["wait_us"].toDouble() * 1e3)),
                                    durationText(std::llround(slice["dur"].toDouble() * 1e3))})
            EXPECT_TRUE(text.contains(part)) << part.toStdString() << "\nin\n" << text.toStdString();
    }
    EXPECT_EQ(found, 1);
    for (const char* part : {"all-to-all qkv", "GPU 0", "c0 u0", "Peers: GPU 1"})
        EXPECT_TRUE(text.contains(part)) << text.toStdString();
}

// G42
TEST_F(TimelineTest, LiveSavedAndReopenedTracesDrawAlike) {
    const Trace trace = recordedTrace({.steps = 4, .blocks = 12});
    RunningJob job;
    job.plan.mesh = trace.mesh;
    job.plan.ranks = 8;
    job.plan.devices = trace.devices;
    job.request.steps = 40;
    view = std::make_unique<TimelineView>(store, focus);
    view->resize(1200, 600);
    view->QWidget::show();
    store.begin(job);
    for (std::size_t i = 0; i < trace.events.size(); i += 500)
        store.append(
            {trace.events.begin() + static_cast<std::ptrdiff_t>(i),
             trace.events.begin() + static_cast<std::ptrdiff_t>(std::min(i + 500, trace.events.size()))},
            i == 0 ? 7 : 0);
    ASSERT_TRUE(eventually([&] { return view->isReady() && view->trace().events == trace.events.size(); }));
    const auto live = view->drawList();
    ASSERT_GT(live->numRects(), 1000U);

    QTemporaryDir folder;
    const std::string path = folder.filePath("run.reeltrace").toStdString();
    ASSERT_TRUE(write_trace(path, toTrace(store.view())));
    show(*read_trace(path));
    view->resize(1200, 600);
    settle();
    EXPECT_TRUE(*view->drawList() == *live);
    EXPECT_EQ(store.dropped(), 7U);
    EXPECT_EQ(view->trace().totalSteps, 40);
}

TEST_F(TimelineTest, BeyondTheLimitTheOldestGoAndAreCounted) {
    TelemetryStore small(nullptr, 12'000);
    const Trace trace = recordedTrace({.steps = 12, .blocks = 30});
    small.begin({});
    small.append(trace.events, 5);
    EXPECT_LE(small.events(), 12'000U);
    EXPECT_EQ(small.events() + small.dropped(), trace.events.size() + 5);
    const LaneView parts = *small.view().lane({0, EventKind::Part, 0});
    EXPECT_EQ(parts.at(parts.size() - 1).step, 11); // the newest is there
    EXPECT_GT(parts.at(0).step, 0);
}

TEST_F(TimelineTest, EventsHandedInLateAreInOrder) {
    EventLane lane;
    std::vector<TelemetryEvent> events(600);
    for (std::size_t i = 0; i < events.size(); ++i)
        events[i].start_ns = events[i].end_ns = static_cast<std::int64_t>(i);
    const LaneView before = lane.view();
    lane.append({events.begin() + 300, events.end()});
    lane.append({events.begin(), events.begin() + 300});
    EXPECT_EQ(before.size(), 0U);
    const LaneView view = lane.view();
    ASSERT_EQ(view.size(), 600U);
    for (std::size_t i = 0; i < view.size(); ++i)
        ASSERT_EQ(view.at(i).start_ns, static_cast<std::int64_t>(i));
    EXPECT_EQ(view.firstEndingAfter(299), 300U);
    EXPECT_EQ(view.firstEndingAfter(9999), 600U);
}

TEST_F(TimelineTest, ClickPinsAndKeysWalkEventsAndRanks) {
    show(recordedTrace(kSmall));
    const EventRef ref = exchange(0, 5);
    lookAt(ref);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, view->placeOf(ref).center());
    ASSERT_EQ(view->pinned(), ref);
    press(Qt::Key_Period);
    EXPECT_EQ(view->pinned(), exchange(0, 6));
    press(Qt::Key_Comma);
    EXPECT_EQ(view->pinned(), ref);
    press(Qt::Key_BracketRight);
    EXPECT_EQ(view->pinned(), exchange(1, 5));
    const auto members = collectiveMembers(view->trace(), *view->pinned());
    EXPECT_EQ(members, (std::vector{exchange(0, 5), exchange(1, 5)}));
    press(Qt::Key_BracketLeft);
    EXPECT_EQ(view->pinned(), ref);
    press(Qt::Key_Escape);
    EXPECT_FALSE(view->pinned());
}

TEST_F(TimelineTest, KeysAndWheelMoveTheRangeWithinTheRun) {
    show(recordedTrace(kSmall));
    const TimeRange whole = view->range();
    press(Qt::Key_W);
    EXPECT_LT(view->range().end_ns - view->range().begin_ns, whole.end_ns - whole.begin_ns);
    EXPECT_FALSE(view->isFollowing());
    press(Qt::Key_W);
    const TimeRange zoomed = view->range();
    press(Qt::Key_A);
    EXPECT_LT(view->range().begin_ns, zoomed.begin_ns);
    press(Qt::Key_D);
    EXPECT_EQ(view->range(), zoomed);
    for (int i = 0; i < 30; ++i)
        QTest::keyClick(view.get(), Qt::Key_S);
    settle();
    EXPECT_EQ(view->range(), whole);

    const QPointF place(view->gutter() + 500, 200);
    const double before = TimeAxis(whole, view->viewport()->width() - view->gutter()).time_ns(500);
    QWheelEvent wheel(place, view->viewport()->mapToGlobal(place), {}, {0, 120}, Qt::NoButton,
                      Qt::ControlModifier, Qt::NoScrollPhase, false);
    QCoreApplication::sendEvent(view->viewport(), &wheel);
    settle();
    const TimeAxis after(view->range(), view->viewport()->width() - view->gutter());
    EXPECT_NEAR(after.x(static_cast<std::int64_t>(before)), 500, 1);
    press(Qt::Key_F, Qt::ShiftModifier);
    EXPECT_EQ(view->range(), whole);
}

TEST_F(TimelineTest, DragMeasuresAndMiddleDragPans) {
    show(recordedTrace(kSmall));
    view->setRange(TimeAxis(view->range(), 1000).zoomed(0.2, 500, view->range()));
    settle();
    drag({400, 200}, {600, 200});
    ASSERT_TRUE(focus.range());
    const TimeAxis axis(view->range(), view->viewport()->width() - view->gutter());
    EXPECT_NEAR(axis.x(focus.range()->begin_ns) + view->gutter(), 400, 1);
    EXPECT_NEAR(axis.x(focus.range()->end_ns) + view->gutter(), 600, 1);
    press(Qt::Key_F);
    EXPECT_LE(view->range().begin_ns, focus.range()->begin_ns);
    press(Qt::Key_Escape);
    EXPECT_FALSE(focus.range());

    const TimeRange before = view->range();
    QTest::mousePress(view->viewport(), Qt::MiddleButton, {}, {600, 200});
    QTest::mouseMove(view->viewport(), {500, 200});
    QTest::mouseRelease(view->viewport(), Qt::MiddleButton, {}, {500, 200});
    EXPECT_GT(view->range().begin_ns, before.begin_ns);
    EXPECT_NEAR(view->range().end_ns - view->range().begin_ns, before.end_ns - before.begin_ns, 2);
}

TEST_F(TimelineTest, HeaderFoldsOneRankOrAll) {
    show(recordedTrace(kSmall));
    const auto heights = [&] {
        std::vector<int> heights;
        for (int rank = 0; rank < 4; ++rank)
            heights.push_back(view->drawList()->rows[static_cast<std::size_t>(rank)].height);
        return heights;
    };
    EXPECT_EQ(heights(), (std::vector{58, 23, 23, 23}));
    const QPoint secondHeader(20, 40 + 58 + 10);
    QTest::mouseClick(view->viewport(), Qt::LeftButton, {}, secondHeader);
    settle();
    EXPECT_EQ(heights(), (std::vector{58, 58, 23, 23}));
    QTest::mouseClick(view->viewport(), Qt::LeftButton, Qt::ShiftModifier, secondHeader);
    settle();
    EXPECT_EQ(heights(), (std::vector{23, 23, 23, 23}));
}

TEST_F(TimelineTest, FollowsTheRunUntilTheUserMoves) {
    const Trace trace = recordedTrace(kSmall);
    view = std::make_unique<TimelineView>(store, focus);
    view->resize(1000, 400);
    view->QWidget::show();
    store.begin({});
    const auto half = trace.events.begin() + static_cast<std::ptrdiff_t>(trace.events.size() / 2);
    store.append({trace.events.begin(), half}, 0);
    ASSERT_TRUE(eventually([&] { return !view->trace().isEmpty() && view->isReady(); }));
    EXPECT_GE(view->range().end_ns, store.view().span.end_ns);
    press(Qt::Key_W);
    const TimeRange kept = view->range();
    store.append({half, trace.events.end()}, 0);
    ASSERT_TRUE(eventually([&] { return view->trace().events == trace.events.size() && view->isReady(); }));
    EXPECT_EQ(view->range(), kept);
    QSignalSpy following(view.get(), &TimelineView::followingChanged);
    press(Qt::Key_End);
    ASSERT_EQ(following.size(), 1);
    EXPECT_GE(view->range().end_ns, store.view().span.end_ns);
    EXPECT_EQ(view->range().end_ns - view->range().begin_ns, kept.end_ns - kept.begin_ns);
}

TEST_F(TimelineTest, SearchAndChosenLinkDimTheOthers) {
    show(recordedTrace(kSmall));
    lookAt(exchange(0, 4));
    const auto bright = [&](int row) {
        int count = 0;
        for (const DrawBand& band : view->drawList()->rows[static_cast<std::size_t>(row)].bands)
            for (const DrawRect& rect : band.rects)
                count += !rect.dimmed;
        return count;
    };
    EXPECT_GT(bright(0), 1);
    view->setSearch("qkv exchange rank 1");
    settle();
    EXPECT_EQ(bright(0), 0);
    EXPECT_GE(bright(1), 1);
    view->setSearch({});
    focus.setLink({ExchangeGroup::Ulysses, 2});
    settle();
    EXPECT_EQ(bright(0), 0);
    focus.clear();
    settle();
    EXPECT_GT(bright(0), 1);
}

TEST_F(TimelineTest, ItemsCanBeFoundOnTheScreen) {
    show(recordedTrace(kSmall));
    lookAt(exchange(0, 5));
    QStringList names;
    for (const QVariant& item : view->uiItems()) {
        const QVariantMap map = item.toMap();
        names << map["name"].toString();
        EXPECT_TRUE(map["rect"].toRect().intersects(view->viewport()->rect()));
    }
    for (const char* name : {"timelineRank0", "timelineRank3", "timelineStep2", "timelineEvent0/5"})
        EXPECT_TRUE(names.contains(name)) << name;
}

TEST(TimeTextTest, HasTheDigitsThatTheResolutionGives) {
    EXPECT_EQ(timeText(330'560'000, 10'000), "330.56 ms");
    EXPECT_EQ(timeText(56'000'000'000, 2'000'000'000), "56 s");
    EXPECT_EQ(durationText(740'000), "0.74 ms");
    EXPECT_EQ(durationText(23'200'000), "23.20 ms");
    EXPECT_EQ(durationText(0), "0 ns");
    EXPECT_EQ(rulerStep_ns(3.2e6), 5'000'000);
    EXPECT_EQ(bytesText(125'800'000), "125.8 MB");
    EXPECT_EQ(transferRateText(std::nan("")), "–");
}

} // namespace
} // namespace reelmesh
