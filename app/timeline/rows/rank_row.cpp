#include "rank_row.h"

#include <QCoreApplication>

#include <algorithm>

namespace reelmesh {
namespace {

struct Heights {
    int row, computeTop, compute, communicationTop, communication, copyTop, copy;
};

Heights heightsOf(RowFold fold) {
    switch (fold) {
    case RowFold::Open: return {58, 3, 20, 24, 16, 43, 10};
    case RowFold::Folded: return {23, 2, 12, 15, 6, 0, 0};
    case RowFold::Compact: return {12, 1, 7, 8, 3, 0, 0};
    }
    return {};
}

QString text(const char* words) {
    return QCoreApplication::translate("Timeline", words);
}

} // namespace

RankRow::RankRow(int rank, RowFold fold) : rank_(rank), fold_(fold), height_(heightsOf(fold).row) {
    const Heights heights = heightsOf(fold);
    const LabelMode names = fold == RowFold::Compact ? LabelMode::None : LabelMode::Names;
    streams_.emplace_back(rank, TraceTrack::Compute, heights.computeTop, heights.compute, names);
    streams_.emplace_back(rank, TraceTrack::Communication, heights.communicationTop, heights.communication,
                          fold == RowFold::Open ? LabelMode::Names : LabelMode::None);
    if (heights.copy > 0)
        streams_.emplace_back(rank, TraceTrack::Copy, heights.copyTop, heights.copy, LabelMode::None);
}

TimelineRow::Head RankRow::head(const TraceView& view) const {
    Head head{.name = view.rankName(rank_),
              .place = view.rankPlace(rank_),
              .foldable = true,
              .open = fold_ == RowFold::Open};
    if (view.slowestRank == rank_) head.remark = text("▲ slowest");
    if (fold_ == RowFold::Open) {
        head.tracks.emplace_back(streams_[1].top(), text("communication"));
        head.tracks.emplace_back(streams_[2].top() - 3, text("copy"));
    }
    return head;
}

std::vector<DrawBand> RankRow::prepare(const PrepareInput& input) const {
    std::vector<DrawBand> bands;
    for (const StreamRow& stream : streams_)
        bands.push_back(stream.prepare(input));
    return bands;
}

std::vector<LaneKey> RankRow::lanesAt(const TraceView& view, int y) const {
    for (const StreamRow& stream : streams_)
        if (y >= stream.top() && y < stream.top() + stream.height()) return stream.lanes(view);
    return {};
}

std::pair<int, int> RankRow::placeOf(const TraceView& view, const LaneKey& key) const {
    for (const StreamRow& stream : streams_) {
        const std::vector<LaneKey> lanes = stream.lanes(view);
        if (std::find(lanes.begin(), lanes.end(), key) != lanes.end()) return {stream.top(), stream.height()};
    }
    return {0, 0};
}

} // namespace reelmesh
