#include "ranks_panel.h"

#include <QHeaderView>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>

#include "models/rank_times_model.h"
#include "panels/rank_times_delegate.h"
#include "theme/metrics.h"
#include "widgets/empty_state.h"
#include "widgets/panel_title.h"

namespace reelmesh {
namespace {

QTableView* makeTable(RankTimesModel& model) {
    auto* table = new QTableView;
    table->setObjectName("rankTimes");
    table->setAccessibleName(QObject::tr("Step times of the ranks"));
    table->setModel(&model);
    table->setItemDelegate(new RankTimesDelegate(table));
    table->setFont(metrics::numberFont(metrics::kSmallText));
    table->setShowGrid(false);
    table->setSelectionMode(QAbstractItemView::NoSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setDefaultSectionSize(metrics::kTableRow);
    QHeaderView* head = table->horizontalHeader();
    head->setFont(metrics::textFont(metrics::kSmallText));
    head->setFixedHeight(metrics::kPanelTitle);
    head->setHighlightSections(false);
    head->setSectionsClickable(false);
    head->setSectionResizeMode(QHeaderView::ResizeToContents);
    head->setSectionResizeMode(RankTimesModel::History, QHeaderView::Stretch);
    return table;
}

} // namespace

RanksPanel::RanksPanel(RankTimesModel& model, QWidget* parent) : QWidget(parent) {
    setObjectName("ranks");
    auto* empty = new EmptyState({.sentence = tr("Shows each rank's step times while a job runs")});
    auto* table = makeTable(model);
    auto* pages = new QStackedWidget;
    pages->addWidget(empty);
    pages->addWidget(table);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(new PanelTitle(tr("Ranks")));
    column->addWidget(pages, 1);
    connect(&model, &RankTimesModel::modelReset, pages, [&model, pages, empty, table] {
        pages->setCurrentWidget(model.rowCount() > 0 ? static_cast<QWidget*>(table) : empty);
    });
}

} // namespace reelmesh
