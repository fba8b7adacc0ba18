// A rank: compute, communication and copies open below one another, or folded. Any thread.
#pragma once

#include "stream_row.h"

namespace reelmesh {

class RankRow : public TimelineRow {
public:
    RankRow(int rank, RowFold fold);

    Head head(const TraceView& view) const override;
    int height() const override { return height_; }
    std::vector<DrawBand> prepare(const PrepareInput& input) const override;
    std::vector<LaneKey> lanesAt(const TraceView& view, int y) const override;
    int rank() const override { return rank_; }
    std::pair<int, int> placeOf(const TraceView& view, const LaneKey& key) const override;

private:
    int rank_;
    RowFold fold_;
    int height_;
    std::vector<StreamRow> streams_;
};

} // namespace reelmesh
