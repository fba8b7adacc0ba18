#include "rank_times_delegate.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>

#include "models/rank_times_model.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kInset = 8;
constexpr int kBarWidth = 32;
constexpr int kBarThickness = 4;
constexpr qsizetype kFewestSteps = 16; ///< a sparkline grows to the full width over that many

} // namespace

void RankTimesDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                              const QModelIndex& index) const {
    const Tokens& t = tokens(option.palette);
    if (index.row() % 2 == 1) painter->fillRect(option.rect, t.alt);
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    if (index.column() == RankTimesModel::History) {
        paintHistory(*painter, option, index);
    } else {
        if (index.column() == RankTimesModel::Share) paintShare(*painter, option, index);
        painter->setFont(option.font);
        painter->setPen(t.text);
        const auto alignment = Qt::Alignment(index.data(Qt::TextAlignmentRole).toInt());
        painter->drawText(option.rect.adjusted(kInset, 0, -kInset, 0), int(alignment),
                          index.data(Qt::DisplayRole).toString());
    }
    painter->restore();
}

void RankTimesDelegate::paintShare(QPainter& painter, const QStyleOptionViewItem& option,
                                   const QModelIndex& index) const {
    const Tokens& t = tokens(option.palette);
    const QRectF track(option.rect.left() + kInset, option.rect.center().y() - kBarThickness / 2 + 0.5,
                       kBarWidth, kBarThickness);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.border);
    painter.drawRoundedRect(track, 2, 2);
    painter.setBrush(index.data(RankTimesModel::SlowestRole).toBool() ? t.warning : t.accent);
    const double share = index.data(RankTimesModel::ShareRole).toDouble();
    painter.drawRoundedRect(QRectF(track.topLeft(), QSizeF(track.width() * share, kBarThickness)), 2, 2);
}

void RankTimesDelegate::paintHistory(QPainter& painter, const QStyleOptionViewItem& option,
                                     const QModelIndex& index) const {
    const auto history = index.data(RankTimesModel::HistoryRole).value<QList<double>>();
    if (history.isEmpty()) return;
    const QRectF area = QRectF(option.rect).adjusted(kInset, 4, -kInset, -4);
    const double top = *std::ranges::max_element(history);
    const auto room = std::max<qsizetype>(history.size(), kFewestSteps);
    const double pitch = area.width() / double(room - 1);
    const auto point = [&](qsizetype i) {
        const double x = area.right() - double(history.size() - 1 - i) * pitch;
        return QPointF(x, area.bottom() - (top > 0 ? history[i] / top : 0) * area.height());
    };
    QPolygonF line;
    for (qsizetype i = 0; i < history.size(); ++i)
        line << point(i);
    QPolygonF fill = line;
    fill << QPointF(line.last().x(), area.bottom()) << QPointF(line.first().x(), area.bottom());

    const QColor color = tokens(option.palette).accent;
    QColor ground = color;
    ground.setAlphaF(0.18F);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawPolygon(fill);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, 1.25));
    painter.drawPolyline(line);
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawEllipse(line.last(), 1.75, 1.75);
}

} // namespace reelmesh
