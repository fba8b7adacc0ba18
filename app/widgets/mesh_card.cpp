#include "mesh_card.h"

#include <QCoreApplication>
#include <QFontMetricsF>
#include <QLocale>

#include <algorithm>
#include <cmath>

#include "theme/lanes.h"
#include "theme/metrics.h"

namespace reelmesh {
namespace {

constexpr int kTinyText = 10;
/// Under these heights lines of a card go.
constexpr double kFullWithMemory = 84, kSmallWithTime = 83;

QString tr(const char* text) {
    return QCoreApplication::translate("MeshCard", text);
}

QString busyText(double busy) {
    return std::isnan(busy) ? QStringLiteral("– %") : tr("%1 %").arg(std::lround(busy * 100));
}

QString deviationText(double deviation) {
    const double percent = deviation * 100;
    const QString sign = percent >= 0 ? QStringLiteral("+") : QStringLiteral("−");
    return sign + QLocale().toString(std::abs(percent), 'f', std::abs(percent) < 9.95 ? 1 : 0) + tr(" %");
}

/// Lines of text between two edges, by their baselines.
class CardText {
public:
    CardText(QPainter& painter, double left, double right) : painter_(painter), left_(left), right_(right) {}

    double left(double baseline, const QString& text, const QFont& font, const QColor& color,
                double from = 0) {
        painter_.setFont(font);
        painter_.setPen(color);
        const QFontMetricsF metrics(font);
        const QString shown = metrics.elidedText(text, Qt::ElideRight, right_ - left_ - from);
        painter_.drawText(QPointF(left_ + from, baseline), shown);
        return from + metrics.horizontalAdvance(shown);
    }
    void right(double baseline, const QString& text, const QFont& font, const QColor& color) {
        painter_.setFont(font);
        painter_.setPen(color);
        painter_.drawText(QPointF(right_ - QFontMetricsF(font).horizontalAdvance(text), baseline), text);
    }

private:
    QPainter& painter_;
    double left_, right_;
};

void paintMemory(QPainter& painter, const QRectF& bar, const RankCard& card, const Tokens& t) {
    painter.setPen(QPen(t.border, 1));
    painter.setBrush(t.input);
    painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    if (!(card.totalBytes > 0)) return;
    const double width = bar.width() - 2;
    const auto length = [&](double bytes) { return std::clamp(bytes / card.totalBytes, 0.0, 1.0) * width; };
    const QRectF inner = bar.adjusted(1, 1, -1, -1);
    if (std::isnan(card.usedBytes)) {
        if (std::isnan(card.predictedBytes)) return;
        // Foreseen, not there: an outline.
        painter.setPen(QPen(t.accent, 1));
        painter.setBrush(Qt::NoBrush);
        const double end = std::max(4.0, length(card.predictedBytes));
        painter.drawRect(QRectF(bar.left() + 0.5, bar.top() + 0.5, end, bar.height() - 1));
        return;
    }
    painter.setPen(Qt::NoPen);
    const double used = std::max(1.0, length(card.usedBytes));
    const double weights = std::isnan(card.weightsBytes) ? used : std::min(used, length(card.weightsBytes));
    QColor half = t.accent;
    half.setAlphaF(0.5);
    painter.fillRect(QRectF(inner.left(), inner.top(), weights, inner.height()), t.accent);
    painter.fillRect(QRectF(inner.left() + weights, inner.top(), used - weights, inner.height()), half);
    if (!std::isnan(card.peakBytes))
        painter.fillRect(QRectF(inner.left() + length(card.peakBytes), bar.top() - 2, 1.5, bar.height() + 4),
                         t.text);
}

void paintTriangle(QPainter& painter, const QPointF& bottomRight, const QColor& color) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(color);
    painter.drawPolygon(QPolygonF{bottomRight + QPointF(-8, 0), bottomRight + QPointF(-4, -7), bottomRight});
}

void paintFull(QPainter& painter, const QRectF& rect, const RankCard& card, const Tokens& t) {
    const double left = rect.left() + 12, right = rect.right() - 8, top = rect.top();
    CardText text(painter, left, right);
    const bool roomy = rect.height() > kFullWithMemory;
    const QColor time = card.slowest ? t.warning : t.muted;
    double end =
        text.left(top + 18, card.name, metrics::textFont(metrics::kBaseText, QFont::DemiBold), t.text);
    text.left(top + 18, card.coordinates, metrics::textFont(metrics::kSmallText), t.muted, end + 6);
    text.left(top + 36, rankStateWord(card.state), metrics::textFont(metrics::kSmallText), t.second);
    text.right(top + 36, busyText(card.busy), metrics::numberFont(metrics::kSmallText), t.text);
    paintMemory(painter, QRectF(left, top + 43, right - left, 8), card, t);
    if (!roomy) {
        if (rect.height() > 66)
            text.left(top + 64, memoryText(card) + tr(" GiB"), metrics::numberFont(kTinyText), t.muted);
        return;
    }
    text.left(top + 65, memoryText(card) + tr(" GiB"), metrics::numberFont(kTinyText), t.muted);
    if (std::isnan(card.stepSeconds)) return;
    text.left(top + 80, stepTimeText(card.stepSeconds), metrics::numberFont(kTinyText), time);
    if (card.slowest) {
        const QString word = rect.width() > 150 && card.deviation > 0.005
                                 ? tr("▲ %1 slowest").arg(deviationText(card.deviation))
                                 : tr("▲ slowest");
        text.right(top + 80, word, metrics::textFont(kTinyText), t.warning);
    } else if (!std::isnan(card.deviation)) {
        text.right(top + 80, deviationText(card.deviation), metrics::numberFont(kTinyText), t.muted);
    }
}

void paintMedium(QPainter& painter, const QRectF& rect, const RankCard& card, const Tokens& t) {
    const double left = rect.left() + 10, right = rect.right() - 8, top = rect.top();
    CardText text(painter, left, right);
    const double end =
        text.left(top + 16, card.name, metrics::textFont(metrics::kSmallText, QFont::DemiBold), t.text);
    text.left(top + 16, card.coordinates, metrics::textFont(kTinyText), t.muted, end + 5);
    text.left(top + 31, rankStateWord(card.state), metrics::textFont(metrics::kSmallText), t.second);
    if (card.slowest) paintTriangle(painter, QPointF(right, top + 31), t.warning);
    paintMemory(painter, QRectF(left, top + 39, right - left, 6), card, t);
    text.left(top + 58, stepTimeText(card.stepSeconds), metrics::numberFont(kTinyText),
              card.slowest ? t.warning : t.muted);
    text.right(top + 58, busyText(card.busy), metrics::numberFont(kTinyText), t.text);
}

void paintSmall(QPainter& painter, const QRectF& rect, const RankCard& card, const Tokens& t) {
    const double left = rect.left() + 9, right = rect.right() - 7, top = rect.top();
    CardText text(painter, left, right);
    text.left(top + 14, card.name, metrics::textFont(metrics::kSmallText, QFont::DemiBold), t.text);
    text.left(top + 27, card.coordinates, metrics::textFont(kTinyText), t.muted);
    text.left(top + 41, rankStateWord(card.state), metrics::textFont(kTinyText), t.second);
    text.left(top + 55, busyText(card.busy), metrics::numberFont(metrics::kSmallText), t.text);
    if (card.slowest) paintTriangle(painter, QPointF(rect.right() - 5, top + 53), t.warning);
    if (rect.height() > kSmallWithTime)
        text.left(rect.bottom() - 15, stepTimeText(card.stepSeconds), metrics::numberFont(kTinyText),
                  card.slowest ? t.warning : t.muted);
    paintMemory(painter, QRectF(left, rect.bottom() - 10, right - left, 5), card, t);
}

} // namespace

QColor stateColor(RankState state, const Tokens& t) {
    switch (state) {
    case RankState::Idle: return t.muted;
    case RankState::Load: return laneStyle(Lane::Copy).color;
    case RankState::Text: return laneStyle(Lane::Norm).color;
    case RankState::Compute:
    case RankState::Decode: return laneStyle(Lane::Linear).color;
    case RankState::Comm: return laneStyle(Lane::AllToAll).color;
    case RankState::Wait: return laneStyle(Lane::Wait).color;
    case RankState::Error: return t.error;
    }
    return t.muted;
}

void paintMeshCard(QPainter& painter, const QRectF& rect, CardKind kind, const RankCard& card,
                   const CardLook& look) {
    const Tokens& t = look.tokens;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor frame = look.selected || look.focused ? t.accent : look.hovered ? t.strong : t.border;
    const double width = look.selected || look.focused ? 1.5 : 1;
    if (kind == CardKind::Dot) {
        painter.setPen(look.selected || look.focused ? QPen(t.text, 2) : QPen(Qt::NoPen));
        painter.setBrush(stateColor(card.state, t));
        painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3);
        if (card.slowest) paintTriangle(painter, rect.center() + QPointF(4, 3), t.window);
        painter.restore();
        return;
    }
    painter.setPen(QPen(frame, width));
    painter.setBrush(look.selected ? t.selection : t.bar);
    painter.drawRoundedRect(rect.adjusted(0.5, 0.5, -0.5, -0.5), metrics::kRadius, metrics::kRadius);
    painter.setPen(Qt::NoPen);
    painter.setBrush(stateColor(card.state, t));
    painter.drawRoundedRect(QRectF(rect.left() + 1, rect.top() + 5, 3, rect.height() - 10), 1.5, 1.5);
    switch (kind) {
    case CardKind::Full: paintFull(painter, rect, card, t); break;
    case CardKind::Medium: paintMedium(painter, rect, card, t); break;
    case CardKind::Small: paintSmall(painter, rect, card, t); break;
    case CardKind::Dot: break;
    }
    painter.restore();
}

} // namespace reelmesh
