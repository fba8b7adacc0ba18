#include "sparkline.h"

#include <QGuiApplication>

#include <algorithm>
#include <cmath>

#include "theme/palette.h"

namespace reelmesh {
namespace {

constexpr double kLine = 1.25;
constexpr double kDot = 1.75;
constexpr double kLeastStep = 1;
constexpr double kGroundRadius = 2;
constexpr double kFill = 0.18;
constexpr double kBarHeight = 10;
constexpr double kTickHeight = 16;

void paintRun(QPainter& painter, const QPolygonF& line, const QRectF& rect, const QColor& color) {
    if (line.size() < 2) return;
    QPolygonF area = line;
    area << QPointF(line.last().x(), rect.bottom()) << QPointF(line.first().x(), rect.bottom());
    QColor ground = color;
    ground.setAlphaF(kFill);
    painter.setPen(Qt::NoPen);
    painter.setBrush(ground);
    painter.drawPolygon(area);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(color, kLine));
    painter.drawPolyline(line);
}

} // namespace

void paintSparkline(QPainter& painter, const QRectF& rect, const std::vector<SparklinePoint>& points,
                    const SparklineStyle& style) {
    const Tokens& t = tokens(QGuiApplication::palette());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.input);
    painter.drawRoundedRect(rect, kGroundRadius, kGroundRadius);
    painter.setClipRect(rect);
    const auto height = [&](double value) {
        const double share = style.maximum > 0 ? std::clamp(value / style.maximum, 0.0, 1.0) : 0;
        return rect.bottom() - 1 - share * (rect.height() - 2);
    };
    QColor middle = t.border;
    middle.setAlphaF(0.7F);
    painter.setPen(QPen(middle, 1));
    const double centre = std::floor(rect.center().y()) + 0.5;
    painter.drawLine(QPointF(rect.left(), centre), QPointF(rect.right(), centre));
    if (!std::isnan(style.limit)) {
        QPen pen(style.limitColor, 1);
        pen.setDashPattern({2, 3});
        painter.setPen(pen);
        const double y = std::floor(height(style.limit)) + 0.5;
        painter.drawLine(QPointF(rect.left(), y), QPointF(rect.right(), y));
    }

    // The end dot lies inside.
    const double right = rect.right() - kDot;
    QPolygonF run;
    for (const SparklinePoint& point : points) {
        const bool known = !std::isnan(point.value);
        if (!known || !point.joined) {
            paintRun(painter, run, rect, style.color);
            run.clear();
        }
        if (!known) continue;
        const QPointF at(right - point.age * (right - rect.left()), height(point.value));
        // Of points in one pixel the highest: more of them cost time and show nothing.
        if (!run.isEmpty() && at.x() - run.last().x() < kLeastStep && &point != &points.back())
            run.last().setY(std::min(run.last().y(), at.y()));
        else
            run << at;
    }
    paintRun(painter, run, rect, style.color);
    if (!points.empty() && !std::isnan(points.back().value) && !run.isEmpty()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(style.color);
        painter.drawEllipse(run.last(), kDot, kDot);
    }
    painter.restore();
}

void paintMemoryBar(QPainter& painter, const QRectF& rect, const MemoryBar& bar, const QColor& color) {
    const Tokens& t = tokens(QGuiApplication::palette());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(t.input);
    painter.drawRoundedRect(rect, kGroundRadius, kGroundRadius);
    const double thickness = std::min(kBarHeight, rect.height());
    const QRectF track(rect.left(), rect.center().y() - thickness / 2, rect.width(), thickness);
    painter.setRenderHint(QPainter::Antialiasing, false);
    QColor half = color;
    half.setAlphaF(0.5F);
    double from = 0;
    const std::pair<double, QColor> parts[] = {{bar.solid, color}, {bar.half, half}, {bar.others, t.muted}};
    for (const auto& [share, fill] : parts) {
        if (std::isnan(share)) continue;
        const double to = std::clamp(from + share, 0.0, 1.0);
        painter.fillRect(QRectF(track.left() + from * track.width(), track.top(), (to - from) * track.width(),
                                track.height()),
                         fill);
        from = to;
    }
    if (!std::isnan(bar.predicted)) {
        painter.setPen(QPen(color, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(QRectF(track.left(), track.top(),
                                std::clamp(bar.predicted, 0.0, 1.0) * track.width() - 1, track.height() - 1));
    }
    if (!std::isnan(bar.peak)) {
        const double tall = std::min(kTickHeight, rect.height());
        const double x = track.left() + std::clamp(bar.peak, 0.0, 1.0) * (track.width() - 2);
        painter.fillRect(QRectF(x, rect.center().y() - tall / 2, 2, tall), t.text);
    }
    painter.restore();
}

} // namespace reelmesh
