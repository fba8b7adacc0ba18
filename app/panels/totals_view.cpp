#include "totals_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QToolButton>
#include <QVBoxLayout>

#include "theme/icons.h"
#include "theme/metrics.h"
#include "timeline/time_axis.h"

namespace reelmesh {
namespace {

QTableView* makeTable(TotalsModel& model) {
    auto* table = new QTableView;
    table->setObjectName("timelineTotals");
    table->setAccessibleName(QObject::tr("Totals of the selected span"));
    table->setModel(&model);
    table->setFont(metrics::numberFont(metrics::kSmallText));
    table->setShowGrid(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(metrics::kTableRow);
    QHeaderView* head = table->horizontalHeader();
    head->setFont(metrics::textFont(metrics::kSmallText));
    head->setFixedHeight(metrics::kPanelTitle - 2);
    head->setHighlightSections(false);
    head->setMinimumSectionSize(30);
    head->setSectionResizeMode(QHeaderView::ResizeToContents);
    return table;
}

} // namespace

TotalsView::TotalsView(QWidget* parent)
    : QWidget(parent), model_(new TotalsModel(this)), span_(new QLabel), table_(makeTable(*model_)) {
    pool_.setMaxThreadCount(1);
    auto* name = new QLabel(tr("Selection"));
    name->setFont(metrics::textFont(metrics::kSmallText, QFont::DemiBold));
    span_->setObjectName("timelineSpan");
    span_->setFont(metrics::numberFont(metrics::kSmallText));
    span_->setProperty("tone", "second");
    auto* kinds = new QToolButton;
    kinds->setObjectName("timelineKinds");
    kinds->setText(tr("By kind"));
    kinds->setCheckable(true);
    kinds->setToolTip(tr("Adds a row for each kind of work below its rank."));
    connect(kinds, &QToolButton::toggled, model_, &TotalsModel::setShowsKinds);
    auto* copy = new QToolButton;
    copy->setObjectName("timelineCopyCsv");
    copy->setText(tr("Copy CSV"));
    copy->setIcon(icon("csv"));
    copy->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    copy->setToolTip(tr("Copies the whole table, kinds too, as comma-separated values."));
    connect(copy, &QToolButton::clicked, this, &TotalsView::copyCsv);
    auto* head = new QHBoxLayout;
    head->setContentsMargins(metrics::kPadding, 0, metrics::kGap, 0);
    head->setSpacing(metrics::kGap + 2);
    head->addWidget(name);
    head->addWidget(span_, 1);
    for (QToolButton* button : {kinds, copy}) {
        button->setAccessibleName(button->text());
        button->setFont(metrics::textFont(metrics::kSmallText));
        button->setFixedHeight(metrics::kSmallControl);
        button->setFocusPolicy(Qt::StrongFocus);
        button->setIconSize({14, 14});
        head->addWidget(button);
    }
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 3, 0, 0);
    column->setSpacing(3);
    column->addLayout(head);
    column->addWidget(table_, 1);
}

TotalsView::~TotalsView() {
    pool_.clear();
    pool_.waitForDone();
}

void TotalsView::setSpan(std::shared_ptr<const TraceView> trace, const TimeRange& range) {
    const std::int64_t base = trace->span.begin_ns;
    const double resolution = static_cast<double>(range.end_ns - range.begin_ns) / 1000;
    span_->setText(timeText(range.begin_ns - base, resolution) + QStringLiteral(" … ") +
                   timeText(range.end_ns - base, resolution));
    span_->setToolTip(tr("%1 long").arg(durationText(range.end_ns - range.begin_ns)));
    wish_ = Wish{std::move(trace), range};
    start();
}

void TotalsView::start() {
    if (inFlight_ || !wish_) return;
    inFlight_ = true;
    pool_.start([this, wish = *std::exchange(wish_, std::nullopt)] {
        auto rows = totalsOf(*wish.trace, wish.range);
        QStringList names;
        for (int rank = 0; rank < wish.trace->ranks; ++rank)
            names << (wish.trace->rankName(rank) + ' ' + wish.trace->rankPlace(rank)).trimmed();
        QMetaObject::invokeMethod(
            this,
            [this, rows = std::move(rows), names] {
                inFlight_ = false;
                model_->setRows(rows, names);
                setFocusRank(focusRank_);
                Q_EMIT updated();
                start();
            },
            Qt::QueuedConnection);
    });
}

void TotalsView::setFocusRank(int rank) {
    focusRank_ = rank;
    table_->clearSelection();
    for (int row = 0; row < model_->rowCount(); ++row)
        if (rank >= 0 && model_->row(row).rank == rank && model_->row(row).kind.empty())
            table_->selectRow(row);
}

void TotalsView::copyCsv() const {
    QGuiApplication::clipboard()->setText(model_->csv());
}

} // namespace reelmesh
