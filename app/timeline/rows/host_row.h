// The host: stages of the job, and the encoder's work below them. Any thread.
#pragma once

#include "stream_row.h"

namespace reelmesh {

class HostRow : public TimelineRow {
public:
    HostRow();

    Head head(const TraceView& view) const override;
    int height() const override;
    std::vector<DrawBand> prepare(const PrepareInput& input) const override;
    std::vector<LaneKey> lanesAt(const TraceView& view, int y) const override;
    std::pair<int, int> placeOf(const TraceView& view, const LaneKey& key) const override;

private:
    StreamRow stages_, encoder_;
};

} // namespace reelmesh
