// The last minute of a quantity as a small curve: newest at the right, fixed scale, limit dashed, unknown
// values as gaps. Paints into any painter; keeps nothing. GUI thread.
#pragma once

#include <QColor>
#include <QPainter>

#include <limits>
#include <vector>

namespace reelmesh {

struct SparklinePoint {
    double age = 0;     ///< 0: newest ... 1: left edge
    double value = 0;   ///< NaN: unknown
    bool joined = true; ///< to the point before
};

struct SparklineStyle {
    QColor color;
    double maximum = 1;
    double limit = std::numeric_limits<double>::quiet_NaN(); ///< NaN: none
    QColor limitColor;
};

/// Oldest point first.
void paintSparkline(QPainter& painter, const QRectF& rect, const std::vector<SparklinePoint>& points,
                    const SparklineStyle& style);

/// Parts of one bar, as shares of its whole; NaN: unknown, not drawn.
struct MemoryBar {
    double solid = std::numeric_limits<double>::quiet_NaN();     ///< weights, or this program
    double half = std::numeric_limits<double>::quiet_NaN();      ///< activations and cache
    double others = std::numeric_limits<double>::quiet_NaN();    ///< what others hold
    double peak = std::numeric_limits<double>::quiet_NaN();      ///< tick
    double predicted = std::numeric_limits<double>::quiet_NaN(); ///< outline
};

/// The bar is vertically centred in the rectangle; the tick is a little higher than it.
void paintMemoryBar(QPainter& painter, const QRectF& rect, const MemoryBar& bar, const QColor& color);

} // namespace reelmesh
