// A strip of one rank, or of the host: its compute, its communication or its copies. Any thread.
#pragma once

#include "timeline/timeline_row.h"

namespace reelmesh {

class StreamRow {
public:
    StreamRow(int rank, TraceTrack track, int top, int height, LabelMode labels)
        : rank_(rank), track_(track), top_(top), height_(height), labels_(labels) {}

    DrawBand prepare(const PrepareInput& input) const;
    /// Uppermost first.
    std::vector<LaneKey> lanes(const TraceView& view) const;
    int top() const { return top_; }
    int height() const { return height_; }

private:
    /// Lowest first; of compute: whole blocks, or steps where no block was recorded, then parts of blocks.
    std::vector<std::vector<LaneKey>> layers(const TraceView& view) const;

    int rank_;
    TraceTrack track_;
    int top_, height_;
    LabelMode labels_;
};

} // namespace reelmesh
