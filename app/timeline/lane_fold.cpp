#include "lane_fold.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace reelmesh {
namespace {

/// Rectangles of one lane in order; neighbours never share a pixel column.
class Folder {
public:
    Folder(const PrepareInput& input, const LaneKey& key, LabelMode labels)
        : input_(input), key_(key), labels_(labels), fold_(kFold_px * input.ratio) {}

    void walk(const LaneView& lane) {
        const std::int64_t end = input_.axis.range().end_ns;
        // With a search the events count, not their sums.
        const bool sums = !input_.filter.isActive() && !input_.link;
        std::size_t i = lane.firstEndingAfter(input_.axis.range().begin_ns);
        while (i < lane.size()) {
            const std::size_t chunk = i / LaneChunk::kEvents, inside = i % LaneChunk::kEvents;
            if (sums && chunk < lane.sealed()) {
                const LaneChunk& events = lane.chunk(chunk);
                if (inside == 0 && isNarrow(events.whole)) {
                    if (events.whole.start_ns >= end) break;
                    addSum(events.whole, i);
                    i += LaneChunk::kEvents;
                    continue;
                }
                if (inside % LaneChunk::kSmall == 0) {
                    const LaneSum& small = events.small[inside / LaneChunk::kSmall];
                    if (isNarrow(small)) {
                        if (small.start_ns >= end) break;
                        addSum(small, i);
                        i += LaneChunk::kSmall;
                        continue;
                    }
                }
            }
            const TelemetryEvent& event = lane.at(i);
            if (event.start_ns >= end) break;
            addEvent(event, i);
            ++i;
        }
        close();
    }

    std::vector<DrawRect> rects;
    std::vector<DrawLabel> labels;

private:
    struct Block {
        double x0 = 0, x1 = 0;
        std::array<std::int64_t, kLanes> busy_ns{};
        std::uint32_t count = 0, index = 0;
        bool dimmed = true;
    };

    bool isNarrow(const LaneSum& sum) const {
        return input_.axis.x(sum.end_ns) - input_.axis.x(sum.start_ns) <= fold_;
    }
    bool isDimmed(const TelemetryEvent& event) const {
        if (input_.link && (event.kind != EventKind::Exchange || event.group != input_.link->group ||
                            event.first_rank != input_.link->firstRank))
            return true;
        return !input_.filter.matches(event, input_.view);
    }

    void addSum(const LaneSum& sum, std::size_t index) {
        fold(input_.axis.x(sum.start_ns), input_.axis.x(sum.end_ns), sum.lane, sum.busy_ns, sum.count, index,
             false);
    }

    void addEvent(const TelemetryEvent& event, std::size_t index) {
        const double x0 = input_.axis.x(event.start_ns), x1 = input_.axis.x(event.end_ns);
        const Lane lane = laneOf(event);
        const bool dimmed = isDimmed(event);
        if (x1 - x0 < fold_) {
            fold(x0, x1, lane, std::max<std::int64_t>(1, event.end_ns - event.start_ns), 1, index, dimmed);
            return;
        }
        close();
        DrawRect rect{.lane = lane,
                      .count = 1,
                      .index = static_cast<std::uint32_t>(index),
                      .key = key_,
                      .dimmed = dimmed};
        const double moving =
            event.kind == EventKind::Exchange ? input_.axis.x(event.end_ns - transfer_ns(event)) : x0;
        if (moving - x0 >= 1) {
            DrawRect wait = rect;
            wait.waiting = true;
            wait.lane = Lane::Wait;
            push(wait, x0, moving);
        }
        const DrawRect* placed = push(rect, std::max(x0, moving), x1);
        if (placed && labels_ == LabelMode::Names) addLabel(*placed, event);
    }

    void fold(double x0, double x1, Lane lane, std::int64_t busy_ns, std::uint32_t count, std::size_t index,
              bool dimmed) {
        if (block_.count > 0 && (x0 - block_.x1 > 1 || block_.x1 - block_.x0 >= fold_)) close();
        if (block_.count == 0) {
            block_.x0 = x0;
            block_.index = static_cast<std::uint32_t>(index);
        }
        block_.x1 = std::max(block_.x1, x1);
        block_.busy_ns[static_cast<std::size_t>(lane)] += busy_ns;
        block_.count += count;
        block_.dimmed = block_.dimmed && dimmed;
    }

    void close() {
        if (block_.count == 0) return;
        const auto longest = std::max_element(block_.busy_ns.begin(), block_.busy_ns.end());
        push({.lane = static_cast<Lane>(longest - block_.busy_ns.begin()),
              .count = block_.count,
              .index = block_.index,
              .key = key_,
              .dimmed = block_.dimmed},
             block_.x0, block_.x1);
        block_ = {};
    }

    const DrawRect* push(DrawRect rect, double x0, double x1) {
        const int width = static_cast<int>(input_.axis.width());
        rect.x0 = std::max(static_cast<int>(std::lround(std::clamp(x0, -1.0, width + 1.0))), last_);
        rect.x1 =
            std::min(width, std::max(rect.x0 + 1, static_cast<int>(std::lround(std::min(x1, width + 1.0)))));
        if (rect.x0 >= rect.x1) return nullptr;
        // A column belongs to one rectangle; what is narrower than it joins its neighbour.
        if (!rects.empty() && rect.count > 0 && x1 < rect.x0 && rects.back().x1 == rect.x0) {
            rects.back().count += rect.count;
            return nullptr;
        }
        last_ = rect.x1;
        rects.push_back(rect);
        return &rects.back();
    }

    void addLabel(const DrawRect& rect, const TelemetryEvent& event) {
        const double width = (rect.x1 - rect.x0) / input_.ratio;
        if (width < kLeastLabel_px) return;
        const QString name = QString::fromStdString(event_name(event));
        labels.push_back(
            {rect.x0, rect.x1, rect.lane, input_.labelMetrics.elidedText(name, Qt::ElideRight, width - 8)});
    }

    const PrepareInput& input_;
    const LaneKey key_;
    const LabelMode labels_;
    const double fold_;
    Block block_;
    int last_ = 0;
};

/// Lanes of one layer follow one another in time; where their blocks still share columns, the earlier keeps
/// them.
void clipOverlaps(std::vector<DrawRect>& rects) {
    std::stable_sort(rects.begin(), rects.end(),
                     [](const DrawRect& a, const DrawRect& b) { return a.x0 < b.x0; });
    int last = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < rects.size(); ++i) {
        DrawRect rect = rects[i];
        rect.x0 = std::max(rect.x0, last);
        if (rect.x0 >= rect.x1) {
            if (kept > 0) rects[kept - 1].count += rect.count;
            continue;
        }
        last = rect.x1;
        rects[kept++] = rect;
    }
    rects.resize(kept);
}

} // namespace

void addLayer(const PrepareInput& input, const std::vector<LaneKey>& lanes, LabelMode labels,
              DrawBand& band) {
    std::vector<DrawRect> rects;
    int used = 0;
    for (const LaneKey& key : lanes) {
        const LaneView* lane = input.view.lane(key);
        if (!lane) continue;
        Folder folder(input, key, labels);
        folder.walk(*lane);
        used += folder.rects.empty() ? 0 : 1;
        rects.insert(rects.end(), folder.rects.begin(), folder.rects.end());
        band.labels.insert(band.labels.end(), folder.labels.begin(), folder.labels.end());
    }
    if (used > 1) clipOverlaps(rects);
    band.rects.insert(band.rects.end(), rects.begin(), rects.end());
}

} // namespace reelmesh
