#include "timeline_view.h"

#include <QApplication>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QWheelEvent>

#include <algorithm>
#include <cmath>

#include "event_search.h"
#include "event_text.h"
#include "theme/palette.h"
#include "timeline_tip.h"

namespace reelmesh {
namespace {

constexpr int kGutter = 168, kNarrowGutter = 108, kNarrow = 700;
constexpr int kRefresh_ms = 33;
constexpr double kZoomStep = 1.25, kKeyPan = 0.15, kTolerance_px = 3;
constexpr int kAllOpen = 2; ///< so few ranks are unfolded from the start
constexpr int kMostItems = 400;

} // namespace

TimelineView::TimelineView(TelemetryStore& store, ViewFocus& focus, QWidget* parent)
    : QAbstractScrollArea(parent), store_(store), focus_(focus), trace_(std::make_shared<TraceView>()),
      layout_(std::make_shared<TimelineLayout>()), shownTrace_(trace_), shownLayout_(layout_),
      list_(std::make_shared<DrawList>()), tip_(new TimelineTip(this)) {
    setObjectName("timelineView");
    setAccessibleName(tr("Timeline"));
    setFrameShape(NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
    // One list at a time: a second thread would only compete with the ranks.
    pool_.setMaxThreadCount(1);
    refresh_.setSingleShot(true);
    refresh_.setInterval(kRefresh_ms);
    connect(&refresh_, &QTimer::timeout, this, &TimelineView::refresh);
    connect(&store_, &TelemetryStore::reset, this, &TimelineView::startOver);
    connect(&store_, &TelemetryStore::grown, this, [this] {
        if (!refresh_.isActive()) refresh_.start();
    });
    connect(&focus_, &ViewFocus::changed, this, [this] {
        updateScrollBar();
        prepare();
        viewport()->update();
    });
    startOver();
}

TimelineView::~TimelineView() {
    pool_.clear();
    pool_.waitForDone();
}

void TimelineView::startOver() {
    pinned_.reset();
    hovered_.reset();
    flags_.clear();
    tip_->hide();
    followLength_ns_.reset();
    foldsChosen_ = false;
    following_ = true;
    trace_ = std::make_shared<TraceView>(store_.view());
    range_ = limits();
    refresh();
    Q_EMIT followingChanged(following_);
    Q_EMIT pinnedChanged();
}

void TimelineView::refresh() {
    trace_ = std::make_shared<TraceView>(store_.view());
    if (!foldsChosen_) {
        open_.clear();
        for (int rank = 0; rank < (trace_->ranks <= kAllOpen ? trace_->ranks : 1); ++rank)
            open_.insert(rank);
    }
    layout_ = std::make_shared<TimelineLayout>(TimelineLayout::make(*trace_, open_));
    if (following_) {
        range_ = limits();
        if (followLength_ns_) range_.begin_ns = std::max(range_.begin_ns, range_.end_ns - *followLength_ns_);
    }
    updateScrollBar();
    prepare();
    Q_EMIT traceChanged();
}

TimeRange TimelineView::limits() const {
    return withMargin(trace_->span);
}

void TimelineView::setFollowing(bool following) {
    if (following_ == following) return;
    following_ = following;
    if (following) refresh();
    Q_EMIT followingChanged(following);
}

void TimelineView::setRange(const TimeRange& range) {
    if (range == range_) return;
    range_ = range;
    prepare();
}

void TimelineView::userRange(const TimeRange& range) {
    if (range == range_) return;
    endHover();
    setFollowing(false);
    followLength_ns_ = range.end_ns - range.begin_ns;
    setRange(range);
}

void TimelineView::fitAll() {
    followLength_ns_.reset();
    setRange(limits());
}

void TimelineView::fitSelection() {
    if (const auto& selection = focus_.range()) return userRange(withMargin(*selection));
    if (const auto event = pinned_ ? eventAt(*trace_, *pinned_) : std::nullopt)
        return userRange(keptInside(
            {event->start_ns - (event->end_ns - event->start_ns), 2 * event->end_ns - event->start_ns + 2},
            limits()));
    fitAll();
}

void TimelineView::addFlag() {
    const TimeAxis shown = scene().axis;
    flags_.push_back(shown.time_ns(cursorX_.value_or(shown.width() / 2)));
    viewport()->update();
}

void TimelineView::setSearch(const QString& text) {
    if (search_ == text) return;
    search_ = text;
    prepare();
}

void TimelineView::toggleMeasure() {
    if (focus_.range())
        focus_.setRange(std::nullopt);
    else if (!trace_->isEmpty())
        focus_.setRange(keptInside(range_, trace_->span));
}

int TimelineView::gutter() const {
    return viewport()->width() < kNarrow ? kNarrowGutter : kGutter;
}

double TimelineView::eventsWidth() const {
    return std::max(1, viewport()->width() - gutter());
}

TimeAxis TimelineView::axis() const {
    return {range_, eventsWidth()};
}

void TimelineView::prepare() {
    stale_ = true;
    if (inFlight_) return;
    stale_ = false;
    inFlight_ = true;
    const double ratio = devicePixelRatioF();
    pool_.start([this, trace = trace_, layout = layout_, range = range_, ratio,
                 width = std::floor(eventsWidth() * ratio), search = search_, link = focus_.link()] {
        const QFontMetricsF labels(laneFont());
        EventFilter filter(search);
        auto list = std::make_shared<const DrawList>(
            layout->prepare({*trace, TimeAxis(range, width), ratio, filter, link, labels}));
        QMetaObject::invokeMethod(
            this, [this, list, trace, layout] { take(list, trace, layout); }, Qt::QueuedConnection);
    });
}

void TimelineView::take(std::shared_ptr<const DrawList> list, std::shared_ptr<const TraceView> trace,
                        std::shared_ptr<const TimelineLayout> layout) {
    inFlight_ = false;
    list_ = std::move(list);
    shownTrace_ = std::move(trace);
    shownLayout_ = std::move(layout);
    viewport()->update();
    if (stale_) prepare();
    Q_EMIT prepared();
}

TimelineScene TimelineView::scene() const {
    TimelineScene scene;
    scene.labels = &labels_;
    scene.tokens = &tokens(palette());
    scene.trace = shownTrace_.get();
    scene.layout = shownLayout_.get();
    scene.list = list_.get();
    scene.ratio = devicePixelRatioF();
    scene.axis = TimeAxis(list_->range, std::max(1.0, list_->width / scene.ratio));
    scene.size = viewport()->size();
    scene.gutter = gutter();
    scene.scroll = verticalScrollBar()->value();
    scene.selection = focus_.range();
    scene.cursorX = cursorX_;
    scene.focusRank = focus_.rank();
    scene.hovered = hovered_;
    scene.flags = flags_;
    if (pinned_) {
        scene.marked = collectiveMembers(*shownTrace_, *pinned_);
        if (scene.marked.empty()) scene.marked = {*pinned_};
    }
    return scene;
}

void TimelineView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    paintTimeline(painter, event->rect(), scene());
    if (hasFocus()) {
        const QColor accent = tokens(palette()).accent;
        const QRect whole = viewport()->rect();
        for (const QRect& edge :
             {QRect(0, 0, whole.width(), 1), QRect(0, whole.height() - 1, whole.width(), 1),
              QRect(0, 0, 1, whole.height()), QRect(whole.width() - 1, 0, 1, whole.height())})
            painter.fillRect(edge, accent);
    }
}

void TimelineView::updateScrollBar() {
    const int head = kStepStrip + kRuler + (focus_.range() ? kMeasureRow : 0);
    const int room = std::max(1, viewport()->height() - head);
    verticalScrollBar()->setPageStep(room);
    verticalScrollBar()->setSingleStep(24);
    verticalScrollBar()->setRange(0, std::max(0, layout_->height() - room));
}

void TimelineView::resizeEvent(QResizeEvent*) {
    updateScrollBar();
    prepare();
}

void TimelineView::scrollContentsBy(int, int) {
    endHover();
    viewport()->update();
}

void TimelineView::hideEvent(QHideEvent* event) {
    endHover();
    QAbstractScrollArea::hideEvent(event);
}

QRect TimelineView::placeOf(const EventRef& ref) const {
    return scene().placeOf(ref).toAlignedRect();
}

std::optional<EventRef> TimelineView::eventAtPoint(const QPoint& position) const {
    const TimelineScene shown = scene();
    const int y = position.y() - shown.headHeight() + shown.scroll;
    if (position.x() < shown.gutter || position.y() < shown.headHeight()) return std::nullopt;
    const TimelineLayout::Entry* entry = shownLayout_->at(y);
    if (!entry) return std::nullopt;
    const auto tolerance = static_cast<std::int64_t>(kTolerance_px * shown.axis.nsPerPixel());
    return findEvent(*shownTrace_, entry->row->lanesAt(*shownTrace_, y - entry->top),
                     shown.axis.time_ns(position.x() - shown.gutter), tolerance);
}

void TimelineView::hover(const QPoint& position) {
    moveCursor(position.x() >= gutter() ? std::optional<double>(position.x() - gutter()) : std::nullopt);
    const std::optional<EventRef> found = eventAtPoint(position);
    if (found == hovered_ && tip_->isVisible()) return;
    hovered_ = found;
    viewport()->update();
    const std::optional<TelemetryEvent> event = found ? eventAt(*shownTrace_, *found) : std::nullopt;
    if (!event) return tip_->hide();
    QRect place = placeOf(*found);
    // A long event's end may be far away; the pointer is not.
    place.setLeft(std::max(place.left(), position.x() - 8));
    place.setRight(std::min(place.right(), position.x() + 8));
    place.setTop(position.y() - 4);
    place.setHeight(20);
    tip_->showEvent(*event, *shownTrace_, {viewport()->mapToGlobal(place.topLeft()), place.size()});
}

void TimelineView::endHover() {
    tip_->hide();
    if (!hovered_) return;
    hovered_.reset();
    viewport()->update();
}

void TimelineView::moveCursor(std::optional<double> x) {
    if (x == cursorX_) return;
    for (const std::optional<double>& place : {cursorX_, x})
        if (place) viewport()->update(gutter() + int(*place) - 60, 0, 120, viewport()->height());
    // The chip keeps inside at the edges.
    viewport()->update(0, 0, viewport()->width(), kStepStrip + kRuler);
    cursorX_ = x;
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::Leave) {
        endHover();
        moveCursor(std::nullopt);
    }
    return QAbstractScrollArea::viewportEvent(event);
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->position().toPoint();
    pressedRange_ = range_;
    if (event->button() == Qt::MiddleButton || (event->button() == Qt::LeftButton && spaceDown_)) {
        drag_ = Drag::Pan;
        endHover();
        viewport()->setCursor(Qt::ClosedHandCursor);
    } else if (event->button() == Qt::LeftButton) {
        drag_ = Drag::Press;
    }
}

void TimelineView::mouseMoveEvent(QMouseEvent* event) {
    const QPoint position = event->position().toPoint();
    if (drag_ == Drag::Pan) {
        const TimeAxis before(pressedRange_, eventsWidth());
        return userRange(before.panned(pressed_.x() - position.x(), limits()));
    }
    const bool moved = (position - pressed_).manhattanLength() >= QApplication::startDragDistance();
    if (drag_ == Drag::Press && moved && pressed_.x() >= gutter() && !trace_->isEmpty()) {
        drag_ = Drag::Measure;
        endHover();
    }
    if (drag_ == Drag::Measure) {
        const TimeAxis shown = scene().axis;
        const auto time = [&](int x) {
            return shown.time_ns(std::clamp(double(x - gutter()), 0.0, eventsWidth()));
        };
        const auto [begin, end] = std::minmax({time(pressed_.x()), time(position.x())});
        if (begin < end) focus_.setRange(TimeRange{begin, end});
        moveCursor(position.x() - gutter());
        return;
    }
    hover(position);
}

void TimelineView::mouseReleaseEvent(QMouseEvent* event) {
    const Drag drag = std::exchange(drag_, Drag::None);
    viewport()->unsetCursor();
    if (drag != Drag::Press) return;
    const QPoint position = event->position().toPoint();
    const TimelineScene shown = scene();
    if (position.y() < kStepStrip) {
        for (const StepSpan& step : shownTrace_->steps)
            if (shown.stepBar(step.step).adjusted(0, -4, 1, 4).contains(position))
                return userRange(withMargin({step.start_ns, step.end_ns}));
        return;
    }
    if (position.x() < shown.gutter) {
        const auto* entry = position.y() < shown.headHeight()
                                ? nullptr
                                : shownLayout_->at(position.y() - shown.headHeight() + shown.scroll);
        if (entry && entry->row->rank() >= 0)
            toggleFold(entry->row->rank(), event->modifiers() & Qt::ShiftModifier);
        return;
    }
    pin(eventAtPoint(position));
}

void TimelineView::toggleFold(int rank, bool all) {
    foldsChosen_ = true;
    const bool opens = !open_.contains(rank);
    for (int each = 0; each < trace_->ranks; ++each) {
        if (!all && each != rank) continue;
        if (opens)
            open_.insert(each);
        else
            open_.erase(each);
    }
    refresh();
}

void TimelineView::wheelEvent(QWheelEvent* event) {
    const double notches = event->angleDelta().y() / 120.0;
    if (event->modifiers() & Qt::ControlModifier) {
        zoom(std::pow(kZoomStep, -notches), event->position().x() - gutter());
    } else if (event->modifiers() & Qt::ShiftModifier || event->angleDelta().y() == 0) {
        const double sideways = event->angleDelta().x() != 0 ? event->angleDelta().x() / 120.0 : notches;
        pan(-sideways * 0.1 * eventsWidth());
    } else {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - int(notches * 48));
    }
    event->accept();
}

void TimelineView::zoom(double factor, std::optional<double> x) {
    userRange(axis().zoomed(factor, x.value_or(cursorX_.value_or(eventsWidth() / 2)), limits()));
}

void TimelineView::pan(double pixels) {
    userRange(axis().panned(pixels, limits()));
}

void TimelineView::pin(const std::optional<EventRef>& ref) {
    if (pinned_ == ref) return;
    pinned_ = ref;
    viewport()->update();
    setAccessibleDescription(text());
    Q_EMIT pinnedChanged();
}

// Pins it and brings it into view.
void TimelineView::pinInView(const std::optional<EventRef>& ref) {
    const std::optional<TelemetryEvent> event = ref ? eventAt(*trace_, *ref) : std::nullopt;
    if (!event) return;
    pin(ref);
    if (event->start_ns < range_.begin_ns || event->end_ns > range_.end_ns) {
        const std::int64_t length = range_.end_ns - range_.begin_ns;
        const std::int64_t middle = event->start_ns + (event->end_ns - event->start_ns) / 2;
        userRange(keptInside({middle - length / 2, middle - length / 2 + length}, limits()));
    }
    const TimelineLayout::Entry* entry = layout_->ofRank(ref->lane.rank);
    if (!entry) return;
    QScrollBar& bar = *verticalScrollBar();
    if (entry->top < bar.value()) bar.setValue(entry->top);
    const int bottom = entry->top + entry->row->height();
    if (bottom > bar.value() + bar.pageStep()) bar.setValue(bottom - bar.pageStep());
}

void TimelineView::escape() {
    if (pinned_)
        pin(std::nullopt);
    else if (focus_.range())
        focus_.setRange(std::nullopt);
    else
        endHover();
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    switch (event->key()) {
    case Qt::Key_W: return zoom(1 / kZoomStep);
    case Qt::Key_S: return zoom(kZoomStep);
    case Qt::Key_A:
    case Qt::Key_Left: return pan(-kKeyPan * eventsWidth());
    case Qt::Key_D:
    case Qt::Key_Right: return pan(kKeyPan * eventsWidth());
    case Qt::Key_F: return event->modifiers() & Qt::ShiftModifier ? fitAll() : fitSelection();
    case Qt::Key_M: return addFlag();
    case Qt::Key_End: return setFollowing(true);
    case Qt::Key_Escape: return escape();
    case Qt::Key_Period: return pinInView(pinned_ ? neighbourOf(*trace_, *pinned_, 1) : hovered_);
    case Qt::Key_Comma: return pinInView(pinned_ ? neighbourOf(*trace_, *pinned_, -1) : hovered_);
    case Qt::Key_BracketRight: return pinInView(pinned_ ? onNextRank(*trace_, *pinned_, 1) : hovered_);
    case Qt::Key_BracketLeft: return pinInView(pinned_ ? onNextRank(*trace_, *pinned_, -1) : hovered_);
    case Qt::Key_Space:
        if (!event->isAutoRepeat()) spaceDown_ = true;
        return;
    default: QAbstractScrollArea::keyPressEvent(event);
    }
}

void TimelineView::keyReleaseEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Space && !event->isAutoRepeat()) spaceDown_ = false;
    QAbstractScrollArea::keyReleaseEvent(event);
}

QString TimelineView::text() const {
    const std::optional<EventRef>& ref = pinned_ ? pinned_ : hovered_;
    const std::optional<TelemetryEvent> event = ref ? eventAt(*shownTrace_, *ref) : std::nullopt;
    return event ? eventText(*event, *shownTrace_) : QString();
}

QVariantList TimelineView::uiItems() const {
    const TimelineScene shown = scene();
    QVariantList items;
    const auto add = [&](const QString& name, const QRect& rect, const QString& text) {
        if (rect.intersects(viewport()->rect()) && items.size() < kMostItems)
            items << QVariantMap{{"name", name}, {"rect", rect}, {"text", text}};
    };
    for (const auto& entry : shownLayout_->entries())
        if (const int rank = entry.row->rank(); rank >= 0)
            add(QStringLiteral("timelineRank%1").arg(rank),
                QRect(0, shown.headHeight() + entry.top - shown.scroll, shown.gutter, entry.row->height()),
                entry.row->head(*shownTrace_).name);
    for (const StepSpan& step : shownTrace_->steps)
        add(QStringLiteral("timelineStep%1").arg(step.step), shown.stepBar(step.step).toAlignedRect(),
            durationText(step.duration_ns()));
    if (shown.selection)
        add("timelineSelection",
            QRectF(shown.gutter + shown.axis.x(shown.selection->begin_ns), kStepStrip + kRuler,
                   shown.axis.x(shown.selection->end_ns) - shown.axis.x(shown.selection->begin_ns),
                   kMeasureRow)
                .toAlignedRect(),
            durationText(shown.selection->end_ns - shown.selection->begin_ns));
    for (std::size_t i = 0; i < list_->rows.size(); ++i)
        for (const DrawBand& band : list_->rows[i].bands)
            for (const DrawRect& rect : band.rects) {
                if (rect.waiting || items.size() >= kMostItems) continue;
                const QRectF place(shown.gutter + rect.x0 / shown.ratio,
                                   shown.headHeight() + list_->rows[i].top + band.top - shown.scroll,
                                   (rect.x1 - rect.x0) / shown.ratio, band.height);
                const auto event = eventAt(*shownTrace_, {rect.key, rect.index});
                add(QStringLiteral("timelineEvent%1/%2").arg(rect.key.rank).arg(rect.index),
                    place.toAlignedRect(),
                    event && rect.count == 1 ? eventTitle(*event)
                                             : tr("%n event(s)", nullptr, int(rect.count)));
            }
    return items;
}

} // namespace reelmesh
