#include "plan_table_view.h"

#include <QFontMetrics>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QStyledItemDelegate>

#include <algorithm>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kCellPadding = 6, kHeader = 22;
/// Advances are rounded, and the style's header takes a few more.
constexpr int kSlack = 4;
/// The name of a plan may be cut before a column goes.
constexpr int kLeastName = 88;
/// The most telling first.
constexpr PlanTableModel::Column kWorth[] = {
    PlanTableModel::Mesh,        PlanTableModel::TotalSeconds, PlanTableModel::Memory, PlanTableModel::Basis,
    PlanTableModel::StepSeconds, PlanTableModel::Exposed,      PlanTableModel::Bytes,  PlanTableModel::Exact};

bool isNumber(int column) {
    return column >= PlanTableModel::StepSeconds && column <= PlanTableModel::Exposed;
}

QFont fontOf(int column) {
    return isNumber(column) ? metrics::numberFont(metrics::kSmallText)
                            : metrics::textFont(metrics::kSmallText);
}

class PlanDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override {
        const Tokens& t = tokens(option.palette);
        const bool refused = index.data(PlanTableModel::RefusedRole).toBool();
        const bool current = index.data(PlanTableModel::CurrentRole).toBool();
        painter->fillRect(option.rect, current ? t.selection : index.row() % 2 == 1 ? t.alt : t.window);
        const bool spanned = refused && index.column() != PlanTableModel::Mesh;
        const QModelIndex source = spanned ? index.siblingAtColumn(PlanTableModel::WhyNot) : index;
        const QRect cell = option.rect.adjusted(kCellPadding, 0, -kCellPadding, 0);
        painter->setFont(spanned ? fontOf(PlanTableModel::WhyNot) : fontOf(index.column()));
        painter->setPen(refused ? t.disabled : t.text);
        const auto alignment = spanned
                                   ? Qt::AlignLeft | Qt::AlignVCenter
                                   : static_cast<Qt::Alignment>(index.data(Qt::TextAlignmentRole).toInt());
        painter->drawText(
            cell, static_cast<int>(alignment),
            painter->fontMetrics().elidedText(source.data().toString(), Qt::ElideRight, cell.width()));
        // The keyboard's row, a line at its foot: a frame a cell would cut the row up.
        if ((option.state & QStyle::State_Selected) && option.widget && option.widget->hasFocus())
            painter->fillRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1, t.accent);
    }
};

} // namespace

PlanTableView::PlanTableView(PlanTableModel& model, QWidget* parent) : QTableView(parent), plans_(model) {
    setObjectName("meshPlans");
    setAccessibleName(tr("Alternatives"));
    setModel(&model);
    setItemDelegate(new PlanDelegate(this));
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setTabKeyNavigation(false);
    setWordWrap(false);
    verticalHeader()->hide();
    verticalHeader()->setMinimumSectionSize(metrics::kTableRow);
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    verticalHeader()->setDefaultSectionSize(metrics::kTableRow);
    QHeaderView* head = horizontalHeader();
    head->setFont(metrics::textFont(metrics::kSmallText));
    head->setFixedHeight(kHeader);
    head->setHighlightSections(false);
    head->setSectionsClickable(false);
    head->setMinimumSectionSize(0);
    head->setSectionResizeMode(QHeaderView::Fixed);
    connect(this, &QTableView::doubleClicked, this, &PlanTableView::choose);
    connect(&model, &QAbstractItemModel::modelReset, this, &PlanTableView::takePlans);
    connect(&model, &QAbstractItemModel::dataChanged, this,
            [this](const QModelIndex&, const QModelIndex&, const QList<int>& roles) {
                if (roles.isEmpty()) takePlans();
            });
    takePlans();
}

int PlanTableView::heightOf(int rows) const {
    return kHeader + rows * metrics::kTableRow;
}

void PlanTableView::takePlans() {
    clearSpans();
    for (int row = 0; row < plans_.rowCount(); ++row)
        if (plans_.index(row, 0).data(PlanTableModel::RefusedRole).toBool())
            setSpan(row, PlanTableModel::StepSeconds, 1, PlanTableModel::ColumnCount - 1);
    widths_.clear();
    for (int column = 0; column < PlanTableModel::ColumnCount; ++column)
        widths_ << contentWidth(column);
    fitColumns();
}

int PlanTableView::contentWidth(int column) const {
    const QFontMetrics head(metrics::textFont(metrics::kSmallText)), cell(fontOf(column));
    int width =
        head.horizontalAdvance(plans_.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString()) +
        kSlack;
    for (int row = 0; row < plans_.rowCount(); ++row) {
        const QModelIndex index = plans_.index(row, column);
        if (!index.data(PlanTableModel::RefusedRole).toBool())
            width = std::max(width, cell.horizontalAdvance(index.data().toString()));
    }
    return width + 2 * kCellPadding + kSlack;
}

void PlanTableView::fitColumns() {
    int left = viewport()->width();
    QList<int> shown;
    const auto least = [this](int column) {
        return column == PlanTableModel::Mesh ? std::min(widths_[column], kLeastName) : widths_[column];
    };
    for (const PlanTableModel::Column column : kWorth) {
        if (!shown.isEmpty() && least(column) > left) break;
        shown << column;
        left -= least(column);
    }
    for (int column = 0; column < PlanTableModel::ColumnCount; ++column) {
        setColumnHidden(column, !shown.contains(column));
        if (shown.contains(column)) setColumnWidth(column, least(column));
    }
    // What is over goes to the name, then to both ends, so that numbers stay together.
    const int last = *std::max_element(shown.begin(), shown.end());
    const int missing = widths_[PlanTableModel::Mesh] - least(PlanTableModel::Mesh);
    const int name = std::clamp(left, 0, missing), rest = std::max(0, left - name);
    setColumnWidth(PlanTableModel::Mesh, least(PlanTableModel::Mesh) + name + rest / 2);
    if (last != PlanTableModel::Mesh) setColumnWidth(last, columnWidth(last) + rest - rest / 2);
}

void PlanTableView::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    fitColumns();
}

void PlanTableView::choose(const QModelIndex& index) {
    if (index.isValid() && !index.data(PlanTableModel::RefusedRole).toBool())
        Q_EMIT planChosen(index.data(PlanTableModel::MeshRole).toString());
}

void PlanTableView::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) return choose(currentIndex());
    QTableView::keyPressEvent(event);
}

} // namespace reelmesh
