#include "lanes.h"

#include <QCoreApplication>
#include <QPixmap>
#include <QPixmapCache>

#include <cmath>

namespace reelmesh {
namespace {

constexpr double kHatchPeriod = 5, kDiagonalPeriod = 6, kDotPeriod = 5;

QColor withAlpha(QColor color, double alpha) {
    color.setAlphaF(static_cast<float>(alpha));
    return color;
}

/// One period of lines at 45 degrees; wrapping copies make it tile.
void drawLines(QPainter& painter, double period, double width, const QColor& color, bool falling) {
    painter.setPen(QPen(color, width, Qt::SolidLine, Qt::FlatCap));
    for (int shift = -1; shift <= 1; ++shift) {
        const double x = shift * period;
        if (falling)
            painter.drawLine(QPointF(x - 1, -1), QPointF(x + period + 1, period + 1));
        else
            painter.drawLine(QPointF(x - 1, period + 1), QPointF(x + period + 1, -1));
    }
}

double periodOf(LanePattern pattern) {
    switch (pattern) {
    case LanePattern::Hatch: return kHatchPeriod;
    case LanePattern::Diagonal: return kDiagonalPeriod;
    case LanePattern::Dots: return kDotPeriod;
    case LanePattern::Solid: break;
    }
    return 1;
}

QPixmap tile(const LaneStyle& style, double ratio) {
    const QString key =
        QString("reelmesh/lane/%1/%2/%3").arg(style.color.name()).arg(int(style.pattern)).arg(ratio);
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    const double period = periodOf(style.pattern);
    const int side = std::max(1, static_cast<int>(std::round(period * ratio)));
    pixmap = QPixmap(side, side);
    pixmap.fill(style.pattern == LanePattern::Hatch ? withAlpha(style.color, 0.16) : style.color);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(side / period, side / period);
    switch (style.pattern) {
    case LanePattern::Hatch: drawLines(painter, period, 1.5, style.color, false); break;
    case LanePattern::Diagonal: drawLines(painter, period, 2, withAlpha(QColor(0x00354F), 0.55), true); break;
    case LanePattern::Dots:
        painter.setPen(Qt::NoPen);
        painter.setBrush(withAlpha(Qt::black, 0.6));
        painter.drawEllipse(QPointF(period / 2, period / 2), 1.1, 1.1);
        break;
    case LanePattern::Solid: break;
    }
    painter.end();
    pixmap.setDevicePixelRatio(ratio);
    QPixmapCache::insert(key, pixmap);
    return pixmap;
}

} // namespace

const LaneStyle& laneStyle(Lane lane) {
    static const std::array<LaneStyle, kLanes> styles{{
        {0x0072B2, LanePattern::Solid, Qt::white},
        {0x56B4E9, LanePattern::Solid, Qt::black},
        {0x009E73, LanePattern::Solid, Qt::black},
        {0xE69F00, LanePattern::Solid, Qt::black},
        {0xD55E00, LanePattern::Solid, Qt::black},
        {0xF0E442, LanePattern::Solid, Qt::black},
        {0xCC79A7, LanePattern::Solid, Qt::black},
        {0xCC79A7, LanePattern::Dots, Qt::black},
        {0x8C8C8C, LanePattern::Hatch, Qt::white},
        {0x56B4E9, LanePattern::Diagonal, Qt::black},
        {0xE69F00, LanePattern::Dots, Qt::black},
        {0x8C8C8C, LanePattern::Dots, Qt::black},
    }};
    return styles[static_cast<std::size_t>(lane)];
}

QString laneName(Lane lane) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("Lane", text); };
    switch (lane) {
    case Lane::Attention: return tr("attention");
    case Lane::Linear: return tr("linear, MLP");
    case Lane::Norm: return tr("norm, RoPE, text");
    case Lane::AllToAll: return tr("all-to-all");
    case Lane::Ring: return tr("ring");
    case Lane::Cfg: return tr("CFG exchange");
    case Lane::AllReduce: return tr("all-reduce");
    case Lane::StageSend: return tr("stage send");
    case Lane::Wait: return tr("wait");
    case Lane::VaeCompute: return tr("VAE");
    case Lane::VaeHalo: return tr("VAE halo");
    case Lane::Copy: return tr("copy");
    }
    return {};
}

Lane laneOf(ExchangeGroup group) {
    switch (group) {
    case ExchangeGroup::Tensor: return Lane::AllReduce;
    case ExchangeGroup::Ulysses: return Lane::AllToAll;
    case ExchangeGroup::Ring: return Lane::Ring;
    case ExchangeGroup::Pipe: return Lane::StageSend;
    case ExchangeGroup::Cfg: return Lane::Cfg;
    case ExchangeGroup::Data: return Lane::Copy;
    case ExchangeGroup::Vae: return Lane::VaeHalo;
    }
    return Lane::Copy;
}

Lane laneOf(const TelemetryEvent& event) {
    if (event.kind == EventKind::Exchange) return laneOf(event.group);
    switch (event.work) {
    case EventWork::Attention: return Lane::Attention;
    case EventWork::Linear: return Lane::Linear;
    case EventWork::Norm:
    case EventWork::Text: return Lane::Norm;
    case EventWork::Cfg: return Lane::Cfg;
    case EventWork::Wait: return Lane::Wait;
    case EventWork::Vae: return Lane::VaeCompute;
    case EventWork::None: return event.kind == EventKind::Step ? Lane::Linear : Lane::Copy;
    case EventWork::Load:
    case EventWork::Copy:
    case EventWork::Save: break;
    }
    return Lane::Copy;
}

void fillLane(QPainter& painter, const QRectF& rect, Lane lane) {
    const LaneStyle& style = laneStyle(lane);
    if (style.pattern == LanePattern::Solid) return painter.fillRect(rect, style.color);
    painter.drawTiledPixmap(rect, tile(style, painter.device()->devicePixelRatioF()));
}

} // namespace reelmesh
