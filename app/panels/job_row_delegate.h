// Paints a row of the queue: thumbnail, prompt, state as icon, word and colour, size, plan, progress, time.
// Rows of JobListModel only. GUI thread.
#pragma once

#include <QStyledItemDelegate>

namespace reelmesh {

struct JobItem;

class JobRowDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    static constexpr int kRow = 48;
    static constexpr int kRunningRow = 56;

    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

    /// "832×480×81 · CFG 2 × U 4 · ≈ 0:41", of a failed job what went wrong.
    static QString detailText(const JobItem& job);

private:
    void paintThumbnail(QPainter& painter, const QStyleOptionViewItem& option, const JobItem& job,
                        const QRect& rect) const;
    void paintRunning(QPainter& painter, const QStyleOptionViewItem& option, const JobItem& job,
                      const QRect& text) const;
    void paintOther(QPainter& painter, const QStyleOptionViewItem& option, const JobItem& job,
                    const QRect& text) const;
};

} // namespace reelmesh
