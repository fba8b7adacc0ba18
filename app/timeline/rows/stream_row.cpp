#include "stream_row.h"

#include <algorithm>

namespace reelmesh {

std::vector<std::vector<LaneKey>> StreamRow::layers(const TraceView& view) const {
    std::vector<LaneKey> whole, parts, steps;
    const auto rank = static_cast<std::int16_t>(rank_);
    const bool hasParts = view.lane({rank, EventKind::Part, 0}) != nullptr;
    const LaneKey first{rank, EventKind::None, 0};
    for (auto at = view.lanes.lower_bound(first); at != view.lanes.end() && at->first.rank == rank; ++at) {
        const LaneKey& key = at->first;
        if (at->second.size() == 0 || track_of(at->second.at(0)) != track_) continue;
        if (key.kind == EventKind::Step)
            steps.push_back(key);
        else if (key.kind == EventKind::Part || key.kind == EventKind::Preview)
            parts.push_back(key);
        else if (!(hasParts && key.kind == EventKind::Block &&
                   key.part == static_cast<std::uint8_t>(EventWork::Attention)))
            whole.push_back(key);
    }
    if (whole.empty() && !hasParts) whole = steps;
    return {whole, parts};
}

DrawBand StreamRow::prepare(const PrepareInput& input) const {
    DrawBand band{.top = top_, .height = height_};
    for (const std::vector<LaneKey>& layer : layers(input.view))
        addLayer(input, layer, labels_, band);
    return band;
}

std::vector<LaneKey> StreamRow::lanes(const TraceView& view) const {
    std::vector<LaneKey> lanes;
    const auto all = layers(view);
    for (auto layer = all.rbegin(); layer != all.rend(); ++layer)
        lanes.insert(lanes.end(), layer->begin(), layer->end());
    return lanes;
}

} // namespace reelmesh
