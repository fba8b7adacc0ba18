// A quantity over time as a filled curve, on one scale from 0 to its highest value. Any thread.
#pragma once

#include "timeline/timeline_row.h"

namespace reelmesh {

class CounterRow : public TimelineRow {
public:
    CounterRow(std::shared_ptr<const TraceCounter> counter, Lane lane)
        : counter_(std::move(counter)), lane_(lane) {}

    Head head(const TraceView& view) const override;
    int height() const override;
    std::vector<DrawBand> prepare(const PrepareInput& input) const override;
    std::vector<LaneKey> lanesAt(const TraceView&, int) const override { return {}; }

private:
    std::shared_ptr<const TraceCounter> counter_;
    Lane lane_;
};

} // namespace reelmesh
