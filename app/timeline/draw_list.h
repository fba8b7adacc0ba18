// What a span of time looks like, ready to paint: clipped, folded and in device pixels, so that painting
// computes nothing. Plain values, made off the GUI thread.
#pragma once

#include <QPointF>
#include <QString>

#include <cstdint>
#include <vector>

#include "models/trace_view.h"
#include "theme/lanes.h"

namespace reelmesh {

/// One event, or several too narrow to be told apart.
struct DrawRect {
    int x0 = 0, x1 = 0; ///< device pixels from the range's begin, x0 < x1
    Lane lane = Lane::Attention;
    std::uint32_t count = 1; ///< events
    std::uint32_t index = 0; ///< of the first one in its lane
    LaneKey key;
    bool waiting = false; ///< for peers
    bool dimmed = false;  ///< not what the user looks for
    bool operator==(const DrawRect&) const = default;
};

struct DrawLabel {
    int x0 = 0, x1 = 0;
    Lane lane = Lane::Attention;
    QString text; ///< elided
    bool operator==(const DrawLabel&) const = default;
};

/// A strip of a row. Rectangles of one layer do not overlap; later layers lie on earlier ones.
struct DrawBand {
    int top = 0, height = 0; ///< logical pixels in the row
    std::vector<DrawRect> rects;
    std::vector<DrawLabel> labels;
    std::vector<QPointF> curve; ///< device x, height share 0 ... 1; NaN: a gap
    Lane curveLane = Lane::Attention;
    bool operator==(const DrawBand&) const = default;
};

struct DrawRow {
    int top = 0, height = 0; ///< logical pixels from the first row
    std::vector<DrawBand> bands;
    bool operator==(const DrawRow&) const = default;
};

struct DrawList {
    TimeRange range;
    int width = 0; ///< device pixels
    std::vector<DrawRow> rows;
    bool operator==(const DrawList&) const = default;

    std::size_t numRects() const {
        std::size_t sum = 0;
        for (const DrawRow& row : rows)
            for (const DrawBand& band : row.bands)
                sum += band.rects.size();
        return sum;
    }
};

} // namespace reelmesh
