#include "form_rows.h"

#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>

#include "theme/metrics.h"

namespace reelmesh {

FormRows::FormRows(QWidget* parent) : QGridLayout(parent) {
    setContentsMargins(0, 0, 0, 0);
    setHorizontalSpacing(metrics::kGap);
    setVerticalSpacing(metrics::kGap);
    setColumnMinimumWidth(0, metrics::kLabelColumn);
    setColumnStretch(1, 1);
}

QLabel* FormRows::addRow(const QString& text, QWidget* buddy, const QList<QWidget*>& others) {
    auto* label = new QLabel(text);
    label->setProperty("tone", "second");
    label->setBuddy(buddy);
    labels_ << label;
    const int row = rowCount();
    addWidget(label, row, 0);
    if (others.isEmpty()) {
        addWidget(buddy, row, 1);
        return label;
    }
    auto* fields = new QHBoxLayout;
    fields->setSpacing(metrics::kGap);
    fields->addWidget(buddy, 1);
    for (QWidget* other : others)
        fields->addWidget(other);
    addLayout(fields, row, 1);
    return label;
}

void FormRows::addField(QWidget* field) {
    addWidget(field, rowCount(), 1);
}

void FormRows::addField(QLayout* field) {
    addLayout(field, rowCount(), 1);
}

void FormRows::addWide(QWidget* widget) {
    addWidget(widget, rowCount(), 0, 1, 2);
}

int FormRows::labelWidth() const {
    int width = metrics::kLabelColumn;
    for (const QLabel* label : labels_)
        width = std::max(width, label->sizeHint().width());
    return width;
}

} // namespace reelmesh
