#include "fold_header.h"

#include <QFontMetrics>
#include <QPainter>

#include "theme/icons.h"
#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr int kHeight = 22, kChevron = 12, kBadge = 16;

QFont remarkFont() {
    return metrics::textFont(metrics::kSmallText);
}

} // namespace

FoldHeader::FoldHeader(const QString& name, QWidget& folded, QWidget* parent) : QAbstractButton(parent) {
    setText(name);
    setAccessibleName(name);
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    folded.setVisible(false);
    connect(this, &QAbstractButton::toggled, &folded, &QWidget::setVisible);
}

void FoldHeader::setRemark(const QString& text, Remark look) {
    remark_ = text;
    look_ = look;
    update();
}

QSize FoldHeader::sizeHint() const {
    return {QFontMetrics(font()).horizontalAdvance(text()) + kChevron + 3 * metrics::kGap +
                QFontMetrics(remarkFont()).horizontalAdvance(remark_) + 2 * metrics::kGap,
            kHeight};
}

QRect FoldHeader::remarkRect() const {
    const int width = QFontMetrics(remarkFont()).horizontalAdvance(remark_) +
                      (look_ == Remark::Badge ? 2 * metrics::kGap : 0);
    return {this->width() - width, (height() - kBadge) / 2, width, kBadge};
}

QVariantList FoldHeader::uiItems() const {
    if (remark_.isEmpty()) return {};
    return {QVariantMap{{"name", objectName() + "Remark"}, {"rect", remarkRect()}, {"text", remark_}}};
}

void FoldHeader::paintEvent(QPaintEvent*) {
    const Tokens& t = tokens(palette());
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int left = metrics::kGap + kChevron + metrics::kGap + 2;
    reelmesh::icon(isChecked() ? "chevron-down" : "chevron-right", IconTint::Muted)
        .paint(&painter, QRect(metrics::kGap - 2, (height() - kChevron) / 2, kChevron + 2, kChevron));
    painter.setPen(underMouse() ? t.text : t.second);
    painter.setFont(font());
    painter.drawText(QRect(left, 0, width() - left, height()), Qt::AlignVCenter, text());
    const QRect place = remarkRect();
    painter.setFont(remarkFont());
    painter.setPen(look_ == Remark::Badge ? t.accent : t.muted);
    if (look_ == Remark::Badge && !remark_.isEmpty())
        painter.drawRoundedRect(QRectF(place).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
    painter.drawText(place, Qt::AlignCenter, remark_);
    if (!hasFocus()) return;
    painter.setPen(QPen(t.accent, 2));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), metrics::kRadius, metrics::kRadius);
}

} // namespace reelmesh
