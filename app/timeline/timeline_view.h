// What each rank did when: rows over time, with scroll, zoom, measure, search and pinned events. prepare()
// runs on the view's own threads; until it is done the list before it stays on the screen, ruler and all. GUI
// thread.
#pragma once

#include <QAbstractScrollArea>
#include <QThreadPool>
#include <QTimer>

#include <memory>
#include <optional>
#include <set>

#include "models/telemetry_store.h"
#include "models/view_focus.h"
#include "timeline_painter.h"
#include "timeline_row.h"

namespace reelmesh {

class TimelineTip;

class TimelineView : public QAbstractScrollArea {
    Q_OBJECT
    Q_PROPERTY(QString text READ text)

public:
    TimelineView(TelemetryStore& store, ViewFocus& focus, QWidget* parent = nullptr);
    ~TimelineView() override;

    bool isFollowing() const { return following_; }
    void setFollowing(bool following);
    void fitAll();
    void fitSelection();
    /// A flag at the cursor, or in the middle.
    void addFlag();
    void setSearch(const QString& text);
    /// Selects what is visible, or ends the selection.
    void toggleMeasure();

    const TraceView& trace() const { return *trace_; }
    const TimeRange& range() const { return range_; } ///< wanted; what is drawn may follow a frame later
    void setRange(const TimeRange& range);
    /// What is on the screen.
    std::shared_ptr<const DrawList> drawList() const { return list_; }
    /// The screen shows the range wanted.
    bool isReady() const { return !inFlight_ && !stale_; }
    const std::optional<EventRef>& pinned() const { return pinned_; }
    void pin(const std::optional<EventRef>& ref);
    int gutter() const;
    /// In the viewport.
    QRect placeOf(const EventRef& ref) const;
    /// Of the pinned, else the hovered event; "": none.
    QString text() const;
    /// {name, rect, text} of ranks, steps, events, selection.
    Q_INVOKABLE QVariantList uiItems() const;

Q_SIGNALS:
    void followingChanged(bool following);
    void pinnedChanged();
    void traceChanged();
    /// A new list is on the screen.
    void prepared();

protected:
    bool viewportEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void hideEvent(QHideEvent* event) override;

private:
    enum class Drag { None, Press, Pan, Measure };

    void refresh();
    void startOver();
    void prepare();
    void take(std::shared_ptr<const DrawList> list, std::shared_ptr<const TraceView> trace,
              std::shared_ptr<const TimelineLayout> layout);
    TimelineScene scene() const;
    TimeAxis axis() const; ///< of the range wanted, logical pixels
    TimeRange limits() const;
    void userRange(const TimeRange& range);
    void zoom(double factor, std::optional<double> x = {});
    void pan(double pixels);
    void toggleFold(int rank, bool all);
    void hover(const QPoint& position);
    void endHover();
    std::optional<EventRef> eventAtPoint(const QPoint& position) const;
    void pinInView(const std::optional<EventRef>& ref);
    void escape();
    void moveCursor(std::optional<double> x);
    void updateScrollBar();
    double eventsWidth() const;

    TelemetryStore& store_;
    ViewFocus& focus_;
    QThreadPool pool_;
    QTimer refresh_;
    std::shared_ptr<const TraceView> trace_;            ///< newest
    std::shared_ptr<const TimelineLayout> layout_;      ///< of trace_
    std::shared_ptr<const TraceView> shownTrace_;       ///< of list_
    std::shared_ptr<const TimelineLayout> shownLayout_; ///< of list_
    std::shared_ptr<const DrawList> list_;
    TimeRange range_{0, 1};
    bool following_ = true, inFlight_ = false, stale_ = false;
    std::optional<std::int64_t> followLength_ns_; ///< unset: all
    std::set<int> open_;
    bool foldsChosen_ = false;
    QString search_;
    std::vector<std::int64_t> flags_;
    std::optional<EventRef> pinned_, hovered_;
    std::optional<double> cursorX_;
    Drag drag_ = Drag::None;
    bool spaceDown_ = false;
    QPoint pressed_;
    TimeRange pressedRange_;
    mutable LabelCache labels_;
    TimelineTip* tip_;
};

} // namespace reelmesh
