// A row of the timeline: its head in the gutter, and what it shows of a span of time. Immutable once made, so
// that prepare() may run on any thread; painting needs no row, the draw list is enough.
#pragma once

#include "lane_fold.h"

namespace reelmesh {

enum class RowFold { Open, Folded, Compact };

class TimelineRow {
public:
    struct Head {
        QString name, place; ///< "GPU 3", "c0 u3"
        QString remark;      ///< right, muted: "10.06 GB"
        bool foldable = false, open = false;
        std::vector<std::pair<int, QString>> tracks; ///< top, name of each strip below the first
    };

    virtual ~TimelineRow() = default;
    virtual Head head(const TraceView& view) const = 0;
    virtual int height() const = 0;
    virtual std::vector<DrawBand> prepare(const PrepareInput& input) const = 0;
    /// What lies at a height of the row, uppermost first.
    virtual std::vector<LaneKey> lanesAt(const TraceView& view, int y) const = 0;
    /// Of a rank's row, else -1.
    virtual int rank() const { return -1; }
    /// Where an event of the lane is drawn: top and height, {0, 0}: not here.
    virtual std::pair<int, int> placeOf(const TraceView& view, const LaneKey& key) const;
};

/// Rows in order with their tops.
class TimelineLayout {
public:
    struct Entry {
        std::shared_ptr<const TimelineRow> row;
        int top = 0;
    };
    /// open: ranks whose row is unfolded.
    static TimelineLayout make(const TraceView& view, const std::set<int>& open);

    const std::vector<Entry>& entries() const { return entries_; }
    int height() const { return height_; }
    /// nullptr: below the last.
    const Entry* at(int y) const;
    const Entry* ofRank(int rank) const;
    DrawList prepare(const PrepareInput& input) const;

private:
    void add(std::shared_ptr<const TimelineRow> row);

    std::vector<Entry> entries_;
    int height_ = 0;
};

} // namespace reelmesh
