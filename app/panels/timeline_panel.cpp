#include "timeline_panel.h"

#include <QAction>
#include <QComboBox>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QScrollArea>
#include <QShortcut>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

#include "event_details.h"
#include "theme/icons.h"
#include "theme/metrics.h"
#include "timeline/timeline_view.h"
#include "totals_view.h"
#include "widgets/empty_state.h"
#include "widgets/lane_legend.h"
#include "widgets/notice_bar.h"

namespace reelmesh {
namespace {

constexpr int kToolRow = 30, kToolWidth = 24, kToolHeight = 22, kSideWidth = 480, kNarrowSide = 230,
              kLeastEvents = 400, kSearchWidth = 150;
constexpr const char* kJsonSuffix = ".json";
/// Share of the ranks' time that went into recording.
QString costText(const TraceView& trace) {
    const auto span = static_cast<double>(trace.span.end_ns - trace.span.begin_ns) * std::max(1, trace.ranks);
    if (span <= 0) return QStringLiteral("–");
    const double percent = 100 * static_cast<double>(trace.events) * event_cost_ns() / span;
    return percent < 0.01 ? QStringLiteral("< 0.01 %")
                          : QStringLiteral("≈ %1 %").arg(QLocale().toString(percent, 'f', 2));
}

} // namespace

TimelinePanel::TimelinePanel(TelemetryStore& store, ViewFocus& focus, QWidget* parent)
    : QWidget(parent), store_(store), focus_(focus), notice_(new NoticeBar), pages_(new QStackedWidget),
      view_(new TimelineView(store, focus)) {
    setObjectName("timeline");
    pool_.setMaxThreadCount(1);
    open_ = new QAction(icon("open"), tr("Open a trace"), this);
    open_->setToolTip(tr("Shows a run that was kept as a .reeltrace file."));
    connect(open_, &QAction::triggered, this, &TimelinePanel::chooseTrace);

    auto* whole = new QSplitter;
    whole->setHandleWidth(metrics::kSeam);
    whole->setChildrenCollapsible(false);
    whole->addWidget(view_);
    whole->addWidget(makeSide());
    whole->setStretchFactor(0, 1);
    whole->setStretchFactor(1, 0);
    whole->setSizes({1000, kSideWidth});
    pages_->addWidget(new EmptyState({"timeline", tr("Shows what each rank does while a job runs"), open_,
                                      /*mainAction=*/false}));
    pages_->addWidget(whole);

    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeTools());
    column->addWidget(notice_);
    column->addWidget(pages_, 1);

    connect(view_, &TimelineView::traceChanged, this, &TimelinePanel::showState);
    connect(view_, &TimelineView::followingChanged, follow_, &QToolButton::setChecked);
    connect(view_, &TimelineView::pinnedChanged, this, &TimelinePanel::showSide);
    connect(&focus_, &ViewFocus::changed, this, &TimelinePanel::showSide);
    connect(&store_, &TelemetryStore::reset, notice_, &NoticeBar::dismiss);
    showState();
    showSide();
}

TimelinePanel::~TimelinePanel() {
    pool_.clear();
    pool_.waitForDone();
}

QToolButton* TimelinePanel::addTool(QHBoxLayout& row, const char* name, const char* iconName,
                                    const QString& label, const QString& tip) {
    auto* button = new QToolButton;
    button->setObjectName(name);
    button->setProperty("role", "flat");
    button->setIcon(icon(iconName));
    button->setIconSize({metrics::kIcon, metrics::kIcon});
    button->setFixedSize(kToolWidth, kToolHeight);
    button->setFocusPolicy(Qt::StrongFocus);
    button->setAccessibleName(label);
    button->setToolTip(tip);
    row.addWidget(button);
    return button;
}

QWidget* TimelinePanel::makeTools() {
    auto* bar = new QWidget;
    bar->setFixedHeight(kToolRow);
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(metrics::kPadding, 0, metrics::kPadding, 0);
    row->setSpacing(metrics::kGap);
    follow_ = addTool(*row, "timelineFollow", "follow", tr("Follow"),
                      tr("Keeps the right edge at now; a pan by hand ends it, End resumes."));
    follow_->setCheckable(true);
    follow_->setChecked(view_->isFollowing());
    connect(follow_, &QToolButton::toggled, view_, &TimelineView::setFollowing);
    fit_ = addTool(*row, "timelineFit", "fit", tr("Fit"),
                   tr("Fits the selection into the view (F), without one the whole run (Shift+F)."));
    connect(fit_, &QToolButton::clicked, view_, &TimelineView::fitSelection);
    measure_ = addTool(*row, "timelineMeasure", "measure", tr("Measure"),
                       tr("Sums up what is visible; drag over the rows to measure a part, Esc ends it."));
    measure_->setCheckable(true);
    connect(measure_, &QToolButton::clicked, view_, [this] {
        view_->toggleMeasure();
        showSide();
    });
    flag_ = addTool(*row, "timelineMark", "mark", tr("Mark"), tr("Puts a mark at the cursor (M)."));
    connect(flag_, &QToolButton::clicked, view_, &TimelineView::addFlag);
    row->addSpacing(metrics::kGroupGap);

    detail_ = new QComboBox;
    detail_->setObjectName("timelineDetail");
    detail_->setAccessibleName(tr("Detail of the next job"));
    detail_->setToolTip(
        tr("What the next job records: 0 stages and steps, 1 also blocks and exchanges, 2 also the "
           "parts of blocks."));
    for (int detail = 0; detail <= 2; ++detail)
        detail_->addItem(tr("Detail %1").arg(detail));
    detail_->setCurrentIndex(1);
    detail_->setFixedHeight(kToolHeight);
    connect(detail_, &QComboBox::currentIndexChanged, this, &TimelinePanel::detailChanged);
    row->addWidget(detail_);
    remark_ = new QLabel;
    remark_->setObjectName("timelineRemark");
    remark_->setFont(metrics::textFont(metrics::kSmallText));
    remark_->setProperty("tone", "muted");
    remark_->setToolTip(
        tr("Time that recording takes of the ranks; how far their clocks may be apart: they share "
           "one; events that were lost because a recorder was full or the run too long to keep."));
    row->addWidget(remark_);

    auto* legend =
        new LaneLegend({Lane::Attention, Lane::Linear, Lane::Norm, Lane::AllToAll, Lane::Cfg, Lane::Wait,
                        Lane::VaeCompute, Lane::Ring, Lane::AllReduce, Lane::VaeHalo, Lane::Copy});
    row->addSpacing(metrics::kGroupGap);
    row->addWidget(legend, 1);
    words_ = new QLineEdit;
    words_->setObjectName("timelineSearchText");
    words_->setPlaceholderText(tr("name, kind or rank"));
    words_->setAccessibleName(tr("Search events"));
    words_->setToolTip(tr("Dims all events but those of this name, kind and rank; Esc ends the search."));
    words_->setClearButtonEnabled(true);
    words_->setFixedSize(kSearchWidth, kToolHeight);
    words_->hide();
    connect(words_, &QLineEdit::textChanged, view_, &TimelineView::setSearch);
    row->addWidget(words_);
    search_ = addTool(*row, "timelineSearch", "search", tr("Search"),
                      tr("Finds events by name, kind or rank (Ctrl+F)."));
    search_->setCheckable(true);
    connect(search_, &QToolButton::toggled, this, &TimelinePanel::setSearching);
    auto* find = new QShortcut(QKeySequence::Find, this);
    find->setContext(Qt::WidgetWithChildrenShortcut);
    connect(find, &QShortcut::activated, this, [this] {
        search_->setChecked(true);
        words_->setFocus();
    });
    auto* leave = new QShortcut(Qt::Key_Escape, words_);
    leave->setContext(Qt::WidgetShortcut);
    connect(leave, &QShortcut::activated, this, [this] { search_->setChecked(false); });
    auto* open = addTool(*row, "timelineOpen", "open", tr("Open a trace"), open_->toolTip());
    connect(open, &QToolButton::clicked, open_, &QAction::trigger);
    save_ = addTool(*row, "timelineSave", "save", tr("Save the trace"), {});
    connect(save_, &QToolButton::clicked, this, [this] { chooseTarget(kTraceSuffix); });
    export_ = addTool(*row, "timelineExport", "export", tr("Export JSON"), {});
    connect(export_, &QToolButton::clicked, this, [this] { chooseTarget(kJsonSuffix); });
    return bar;
}

QWidget* TimelinePanel::makeSide() {
    side_ = new QWidget;
    totals_ = new TotalsView;
    details_ = new EventDetails;
    pinned_ = new QScrollArea;
    pinned_->setWidget(details_);
    pinned_->setWidgetResizable(true);
    pinned_->setFrameShape(QFrame::NoFrame);
    pinned_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    connect(details_, &EventDetails::closed, this, [this] { view_->pin(std::nullopt); });
    auto* column = new QVBoxLayout(side_);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(totals_, 1);
    column->addWidget(pinned_, 1);
    return side_;
}

void TimelinePanel::resizeEvent(QResizeEvent*) {
    // Wide enough for every column of the totals, unless the events would be left with too little.
    side_->setMinimumWidth(std::clamp(width() - kLeastEvents, kNarrowSide, kSideWidth));
}

void TimelinePanel::setSearching(bool searching) {
    words_->setVisible(searching);
    if (searching)
        words_->setFocus();
    else
        words_->clear();
}

int TimelinePanel::detail() const {
    return detail_->currentIndex();
}

void TimelinePanel::setDetail(int detail) {
    detail_->setCurrentIndex(detail);
}

void TimelinePanel::showState() {
    const TraceView& trace = view_->trace();
    pages_->setCurrentIndex(trace.isEmpty() ? 0 : 1);
    remark_->setText(trace.isEmpty()
                         ? QString()
                         : tr("cost %1 · skew 0 µs · dropped %2")
                               .arg(costText(trace), QLocale().toString(qulonglong(trace.dropped))));
    const QString nothing = tr("There are no events yet: run a job or open a trace.");
    for (QToolButton* button : {follow_, fit_, measure_, flag_, search_, save_, export_})
        button->setEnabled(!trace.isEmpty());
    save_->setToolTip(trace.isEmpty() ? nothing : tr("Keeps these events as a .reeltrace file."));
    export_->setToolTip(trace.isEmpty() ? nothing : tr("Writes JSON for Perfetto and chrome://tracing."));
    showSide();
}

void TimelinePanel::showSide() {
    const bool measures = focus_.range().has_value();
    const auto event = view_->pinned() ? eventAt(view_->trace(), *view_->pinned()) : std::nullopt;
    measure_->setChecked(measures);
    side_->setVisible(measures || event);
    totals_->setVisible(measures);
    pinned_->setVisible(event.has_value());
    if (event) details_->setEvent(*event, view_->trace());
    totals_->setFocusRank(focus_.rank());
    if (measures) totals_->setSpan(std::make_shared<TraceView>(view_->trace()), *focus_.range());
}

void TimelinePanel::chooseTrace() {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a trace"), {},
                                                      tr("Traces (*%1);;All files (*)").arg(kTraceSuffix));
    if (!path.isEmpty()) openTrace(path);
}

void TimelinePanel::chooseTarget(const QString& suffix) {
    const bool isTrace = suffix == kTraceSuffix;
    QString path = QFileDialog::getSaveFileName(this, isTrace ? tr("Save the trace") : tr("Export JSON"), {},
                                                tr("Files (*%1)").arg(suffix));
    if (path.isEmpty()) return;
    if (!path.endsWith(suffix)) path += suffix;
    if (isTrace)
        saveTrace(path);
    else
        exportJson(path);
}

void TimelinePanel::openTrace(const QString& path) {
    notice_->showNotice(NoticeBar::Kind::Info, tr("Opening %1 …").arg(path));
    pool_.start([this, path] {
        Result<Trace> trace = read_trace(path.toStdString());
        std::shared_ptr<TelemetryStore::Content> content;
        Error error;
        if (trace)
            content = TelemetryStore::arrange(std::move(*trace));
        else
            error = trace.error();
        QMetaObject::invokeMethod(
            this,
            [this, path, content, error] {
                if (!content) return showError(error, tr("Choose another"), [this] { open_->trigger(); });
                store_.open(content);
                focus_.clear();
                notice_->dismiss();
                Q_EMIT opened(path);
            },
            Qt::QueuedConnection);
    });
}

void TimelinePanel::saveTrace(const QString& path) {
    write(path, kTraceSuffix);
}

void TimelinePanel::exportJson(const QString& path) {
    write(path, kJsonSuffix);
}

void TimelinePanel::write(const QString& path, const QString& suffix) {
    pool_.start([this, path, suffix, view = std::make_shared<TraceView>(store_.view())] {
        const Trace trace = toTrace(*view);
        const Result<bool> done = suffix == kTraceSuffix ? write_trace(path.toStdString(), trace)
                                                         : write_trace_json(path.toStdString(), trace);
        const Error error = done ? Error{} : done.error();
        QMetaObject::invokeMethod(
            this,
            [this, path, suffix, error] {
                if (error.code != ErrorCode::None)
                    return showError(error, tr("Choose another place"),
                                     [this, suffix] { chooseTarget(suffix); });
                notice_->showNotice(NoticeBar::Kind::Done, tr("Saved as %1").arg(path));
                Q_EMIT written(path);
            },
            Qt::QueuedConnection);
    });
}

void TimelinePanel::showError(const Error& error, const QString& label, std::function<void()> next) {
    notice_->showNotice(NoticeBar::Kind::Error, QString::fromStdString(error_message(error)),
                        {{label, std::move(next)}});
}

} // namespace reelmesh
