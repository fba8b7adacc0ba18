// The collectives of one group of ranks, as its first rank saw them. Any thread.
#pragma once

#include "timeline/timeline_row.h"

namespace reelmesh {

class CollectiveRow : public TimelineRow {
public:
    explicit CollectiveRow(RankGroup group) : group_(std::move(group)) {}

    Head head(const TraceView& view) const override;
    int height() const override;
    std::vector<DrawBand> prepare(const PrepareInput& input) const override;
    std::vector<LaneKey> lanesAt(const TraceView& view, int y) const override;
    const RankGroup& group() const { return group_; }

private:
    LaneKey lane() const;

    RankGroup group_;
};

} // namespace reelmesh
