#include "timeline_row.h"

#include <algorithm>

#include "rows/collective_row.h"
#include "rows/counter_row.h"
#include "rows/host_row.h"
#include "rows/rank_row.h"

namespace reelmesh {
namespace {

constexpr int kManyRanks = 16;

} // namespace

std::pair<int, int> TimelineRow::placeOf(const TraceView&, const LaneKey&) const {
    return {0, 0};
}

TimelineLayout TimelineLayout::make(const TraceView& view, const std::set<int>& open) {
    TimelineLayout layout;
    const RowFold folded = view.ranks > kManyRanks ? RowFold::Compact : RowFold::Folded;
    for (int rank = 0; rank < view.ranks; ++rank)
        layout.add(std::make_shared<RankRow>(rank, open.contains(rank) ? RowFold::Open : folded));
    for (const RankGroup& group : view.groups)
        layout.add(std::make_shared<CollectiveRow>(group));
    layout.add(std::make_shared<HostRow>());
    static constexpr std::array kCurves{Lane::AllToAll, Lane::Norm, Lane::Linear, Lane::AllReduce};
    for (std::size_t i = 0; i < view.counters.size(); ++i)
        layout.add(std::make_shared<CounterRow>(view.counters[i], kCurves[i % kCurves.size()]));
    return layout;
}

void TimelineLayout::add(std::shared_ptr<const TimelineRow> row) {
    const int top = height_;
    height_ += row->height();
    entries_.push_back({std::move(row), top});
}

const TimelineLayout::Entry* TimelineLayout::at(int y) const {
    if (y < 0 || y >= height_) return nullptr;
    const auto next = std::upper_bound(entries_.begin(), entries_.end(), y,
                                       [](int place, const Entry& entry) { return place < entry.top; });
    return &*(next - 1);
}

const TimelineLayout::Entry* TimelineLayout::ofRank(int rank) const {
    for (const Entry& entry : entries_)
        if (entry.row->rank() == rank && rank >= 0) return &entry;
    if (rank < 0)
        for (const Entry& entry : entries_)
            if (dynamic_cast<const HostRow*>(entry.row.get())) return &entry;
    return nullptr;
}

DrawList TimelineLayout::prepare(const PrepareInput& input) const {
    DrawList list{.range = input.axis.range(), .width = static_cast<int>(input.axis.width())};
    for (const Entry& entry : entries_)
        list.rows.push_back({entry.top, entry.row->height(), entry.row->prepare(input)});
    return list;
}

} // namespace reelmesh
