#include "layer_painter.h"

#include <QFontMetricsF>

#include <cmath>

#include "theme/metrics.h"
#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr double kChipHeight = 22, kChipPadding = 8, kMarkWidth = 12, kHeadGap = 6;

QColor chipGround() {
    return QColor(0, 0, 0, 199);
}

QColor colorOf(LayerShape::Tone tone) {
    const Tokens& t = tokens(Theme::Dark);
    switch (tone) {
    case LayerShape::Tone::Text: return t.text;
    case LayerShape::Tone::Muted: return t.muted;
    case LayerShape::Tone::Accent: return t.accent;
    case LayerShape::Tone::Warning: return t.warning;
    case LayerShape::Tone::Track: return t.border;
    case LayerShape::Tone::Light: return t.text;
    }
    return t.text;
}

void paintShape(QPainter& painter, const LayerShape& shape) {
    const QColor color = colorOf(shape.tone);
    painter.setOpacity(shape.opacity);
    switch (shape.kind) {
    case LayerShape::Kind::Chip:
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(chipGround());
        painter.drawRoundedRect(shape.rect, metrics::kRadius, metrics::kRadius);
        painter.setRenderHint(QPainter::Antialiasing, false);
        break;
    case LayerShape::Kind::Text: {
        const QFont font = shape.number ? metrics::numberFont(shape.pixels) : metrics::textFont(shape.pixels);
        painter.setFont(font);
        painter.setPen(color);
        painter.drawText(
            shape.rect, int(shape.align) | Qt::TextSingleLine,
            QFontMetricsF(font).elidedText(shape.text, Qt::ElideRight, shape.rect.width() + 0.5));
        break;
    }
    case LayerShape::Kind::Bar: painter.fillRect(shape.rect, color); break;
    case LayerShape::Kind::Lane: fillLane(painter, shape.rect, shape.lane); break;
    case LayerShape::Kind::Line:
        // A casing, or a light line is lost on a light picture.
        painter.fillRect(QRectF(shape.rect.left(), shape.rect.top() + 1, shape.rect.width(), 1),
                         QColor(0, 0, 0, 90));
        painter.fillRect(QRectF(shape.rect.left(), shape.rect.top(), shape.rect.width(), 1), color);
        break;
    case LayerShape::Kind::Frame:
        painter.setPen(color);
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(shape.rect.adjusted(0, 0, -1, -1));
        break;
    }
    painter.setOpacity(1);
}

QFont headFont() {
    return metrics::textFont(metrics::kSmallText, QFont::DemiBold);
}

} // namespace

void paintShapes(QPainter& painter, const QList<LayerShape>& shapes) {
    for (const LayerShape& shape : shapes)
        paintShape(painter, shape);
}

QSizeF chipSize(const Chip& chip, double mostWidth) {
    if (chip.text.isEmpty() && chip.head.isEmpty()) return {0, 0};
    double width = 2 * kChipPadding;
    if (chip.mark != Chip::Mark::None) width += kMarkWidth;
    if (!chip.head.isEmpty()) width += QFontMetricsF(headFont()).horizontalAdvance(chip.head);
    if (!chip.head.isEmpty() && !chip.text.isEmpty()) width += kHeadGap;
    width += QFontMetricsF(metrics::textFont(metrics::kSmallText)).horizontalAdvance(chip.text);
    return {std::min(std::ceil(width) + 1, mostWidth), kChipHeight};
}

void paintChip(QPainter& painter, const QRectF& rect, const Chip& chip) {
    if (rect.width() <= 2 * kChipPadding) return;
    const Tokens& t = tokens(Theme::Dark);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(chipGround());
    painter.drawRoundedRect(rect, metrics::kRadius, metrics::kRadius);
    double left = rect.left() + kChipPadding;
    if (chip.mark != Chip::Mark::None) {
        painter.setBrush(chip.mark == Chip::Mark::Preview ? t.accent : t.done);
        painter.drawEllipse(QPointF(left + 3, rect.center().y()), 3, 3);
        left += kMarkWidth;
    }
    painter.setRenderHint(QPainter::Antialiasing, false);
    painter.setPen(t.text);
    if (!chip.head.isEmpty()) {
        painter.setFont(headFont());
        painter.drawText(QRectF(left, rect.top(), rect.width(), rect.height()),
                         Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine, chip.head);
        left += QFontMetricsF(headFont()).horizontalAdvance(chip.head) + kHeadGap;
    }
    const QFont font = metrics::textFont(metrics::kSmallText);
    const double room = rect.right() - kChipPadding + 1 - left;
    painter.setFont(font);
    painter.drawText(QRectF(left, rect.top(), room, rect.height()),
                     Qt::AlignLeft | Qt::AlignVCenter | Qt::TextSingleLine,
                     QFontMetricsF(font).elidedText(chip.text, Qt::ElideRight, room));
}

} // namespace reelmesh
