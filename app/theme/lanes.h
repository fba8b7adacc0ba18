// Colours and patterns by kind of work, the same in timeline, mesh picture, overlays and legends. A kind is
// told by colour and by pattern. GUI thread.
#pragma once

#include <QBrush>
#include <QColor>
#include <QPainter>
#include <QString>

#include <array>

#include "engine/telemetry.h"
#include "palette.h"

namespace reelmesh {

enum class Lane {
    Attention,
    Linear,
    Norm,
    AllToAll,
    Ring,
    Cfg,
    AllReduce,
    StageSend,
    Wait,
    VaeCompute,
    VaeHalo,
    Copy,
};
inline constexpr int kLanes = 12;

enum class LanePattern { Solid, Hatch, Diagonal, Dots };

struct LaneStyle {
    QColor color;
    LanePattern pattern;
    QColor text; ///< on it
};

const LaneStyle& laneStyle(Lane lane);
/// As in a legend: "linear, MLP".
QString laneName(Lane lane);
Lane laneOf(const TelemetryEvent& event);
Lane laneOf(ExchangeGroup group);
/// Fills whole device pixels; the pattern begins at the rectangle's left edge, so that it does not swim while
/// the rectangle moves. The painter has no transformation but a translation.
void fillLane(QPainter& painter, const QRectF& rect, Lane lane);

} // namespace reelmesh
