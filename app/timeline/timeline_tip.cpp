#include "timeline_tip.h"

#include <QPainter>
#include <QScreen>

#include <algorithm>

#include "event_text.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kEdge = 10, kLine = 17, kTitle = 22, kLabelColumn = 70, kWidest = 420, kSpare = 6,
              kDistance = 10;

} // namespace

TimelineTip::TimelineTip(QWidget* parent) : QWidget(parent, Qt::ToolTip | Qt::FramelessWindowHint) {
    setObjectName("timelineTip");
    setAttribute(Qt::WA_ShowWithoutActivating);
    setAttribute(Qt::WA_TransparentForMouseEvents);
}

void TimelineTip::showEvent(const TelemetryEvent& event, const TraceView& view, const QRect& beside) {
    title_ = eventTitle(event);
    text_ = eventText(event, view);
    rows_ = eventRows(event, view);
    lane_ = laneOf(event);
    hint_ = event.kind == EventKind::Exchange ? tr("Click pins · [ ] same collective, next rank")
                                              : tr("Click pins · . , next and previous");
    setAccessibleName(text_);
    const QFontMetrics values(metrics::textFont(metrics::kSmallText));
    int width = values.horizontalAdvance(hint_);
    for (const auto& [label, value] : rows_)
        width = std::max(width, kLabelColumn + values.horizontalAdvance(value) + kSpare);
    resize(std::min(width, kWidest) + 2 * kEdge, kTitle + kLine * int(rows_.size() + 1) + 2 * kEdge + 4);
    const QRect screen = parentWidget()->screen()->availableGeometry();
    QPoint corner = beside.topRight() + QPoint(kDistance, kDistance);
    if (corner.x() + this->width() > screen.right()) corner.setX(beside.left() - kDistance - this->width());
    if (corner.y() + height() > screen.bottom()) corner.setY(beside.top() - kDistance - height());
    corner.setX(
        std::clamp(corner.x(), screen.left(), std::max(screen.left(), screen.right() - this->width())));
    corner.setY(std::clamp(corner.y(), screen.top(), std::max(screen.top(), screen.bottom() - height())));
    move(corner);
    show();
    update();
}

void TimelineTip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Tokens& t = tokens(palette());
    painter.fillRect(rect(), t.strong);
    painter.fillRect(rect().adjusted(1, 1, -1, -1), t.bar);
    fillLane(painter, QRectF(kEdge, kEdge + 3, 11, 11), lane_);
    painter.setFont(metrics::textFont(metrics::kSmallText, QFont::DemiBold));
    painter.setPen(t.text);
    painter.drawText(QRect(kEdge + 17, kEdge, width() - 2 * kEdge - 17, kLine), Qt::AlignVCenter, title_);
    int y = kEdge + kTitle;
    painter.setFont(metrics::textFont(metrics::kSmallText));
    for (const auto& [label, value] : rows_) {
        painter.setPen(t.muted);
        painter.drawText(QRect(kEdge, y, kLabelColumn, kLine), Qt::AlignVCenter, label);
        painter.setPen(t.text);
        const QRect place(kEdge + kLabelColumn, y, width() - 2 * kEdge - kLabelColumn, kLine);
        painter.drawText(place, Qt::AlignVCenter,
                         painter.fontMetrics().elidedText(value, Qt::ElideRight, place.width()));
        y += kLine;
    }
    painter.fillRect(kEdge, y + 2, width() - 2 * kEdge, 1, t.border);
    painter.setPen(t.muted);
    painter.drawText(QRect(kEdge, y + 5, width() - 2 * kEdge, kLine), Qt::AlignVCenter, hint_);
}

} // namespace reelmesh
