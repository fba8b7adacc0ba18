// Paints a row of rank times: the share as a bar under its number, the last steps as a sparkline.
// GUI thread.
#pragma once

#include <QStyledItemDelegate>

namespace reelmesh {

class RankTimesDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;

private:
    void paintShare(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
    void paintHistory(QPainter& painter, const QStyleOptionViewItem& option, const QModelIndex& index) const;
};

} // namespace reelmesh
