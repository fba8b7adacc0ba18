// A recorded trace in a store, and a view of it that has caught up.
#pragma once

#include <QTest>

#include <cmath>

#include "app_fixture.h"
#include "support/recorded_trace.h"
#include "timeline/timeline_view.h"

namespace reelmesh {

struct TimelineFixture : ::testing::Test {
    void show(Trace trace) {
        store.open(std::move(trace));
        if (!view) view = std::make_unique<TimelineView>(store, focus);
        view->resize(1200, 420);
        view->QWidget::show();
        settle();
    }
    void settle() const {
        ASSERT_TRUE(eventually([&] { return view->isReady(); }));
    }
    void hover(const QPoint& place) const {
        QTest::mouseMove(view->viewport(), QPoint(1, 1));
        QTest::mouseMove(view->viewport(), place);
        QCoreApplication::processEvents();
    }
    void drag(const QPoint& from, const QPoint& to) const {
        QTest::mousePress(view->viewport(), Qt::LeftButton, {}, from);
        QTest::mouseMove(view->viewport(), (from + to) / 2);
        QTest::mouseMove(view->viewport(), to);
        QTest::mouseRelease(view->viewport(), Qt::LeftButton, {}, to);
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const {
        QTest::keyClick(view.get(), key, modifiers);
        settle();
    }
    /// The exchange of a rank that has the number in its lane.
    static EventRef exchange(int rank, std::size_t index) {
        return {{static_cast<std::int16_t>(rank), EventKind::Exchange,
                 static_cast<std::uint8_t>(ExchangeGroup::Ulysses)},
                index};
    }
    /// Zooms so that the event is wide and in the middle.
    void lookAt(const EventRef& ref) const {
        const TelemetryEvent event = *eventAt(view->trace(), ref);
        const std::int64_t length = event.end_ns - event.start_ns;
        view->setRange({event.start_ns - length, event.end_ns + length});
        settle();
    }

    TelemetryStore store;
    ViewFocus focus;
    std::unique_ptr<TimelineView> view;
};

} // namespace reelmesh
