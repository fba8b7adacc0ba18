// Turns a lane's events into rectangles: events under three pixels fold into blocks of about that width, so
// that no pixel column of a layer holds more than one rectangle. Any thread.
#pragma once

#include <QFontMetricsF>
#include <QHash>

#include "draw_list.h"
#include "event_filter.h"
#include "time_axis.h"

namespace reelmesh {

inline constexpr double kFold_px = 3;
inline constexpr double kLeastLabel_px = 34;

/// What a prepare() works on.
struct PrepareInput {
    const TraceView& view;
    TimeAxis axis;       ///< in device pixels
    double ratio = 1;    ///< device pixels of a logical one
    EventFilter& filter; ///< remembers what it found
    std::optional<LinkFocus> link;
    const QFontMetricsF& labelMetrics;
};

enum class LabelMode { None, Names };

/// Adds the lane's rectangles as a layer on what the band has.
void addLayer(const PrepareInput& input, const std::vector<LaneKey>& lanes, LabelMode labels, DrawBand& band);

} // namespace reelmesh
