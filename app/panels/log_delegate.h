// Draws a line of the log: time and job muted, the level as icon and word in its colour. GUI thread.
#pragma once

#include <QStyledItemDelegate>

namespace reelmesh {

class LogDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

} // namespace reelmesh
