// A run's telemetry as it was at one instant, ready to draw: lanes, steps, what the run was. Immutable and
// cheap to copy; any thread.
#pragma once

#include <QString>

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "engine/trace.h"
#include "event_lane.h"
#include "view_focus.h"

namespace reelmesh {

/// One denoising step over all ranks.
struct StepSpan {
    int step = 0;
    std::int64_t start_ns = 0, end_ns = 0;
    std::int64_t duration_ns() const { return end_ns - start_ns; }
    bool operator==(const StepSpan&) const = default;
};

/// A group of ranks that exchanges.
struct RankGroup {
    LinkFocus link;
    std::set<int> ranks;     ///< as seen
    std::uint64_t bytes = 0; ///< sent by all
};

struct TraceView {
    std::map<LaneKey, LaneView> lanes;
    std::vector<StepSpan> steps; ///< by number
    std::vector<RankGroup> groups;
    std::vector<std::shared_ptr<const TraceCounter>> counters;
    int ranks = 0;
    int totalSteps = 0;   ///< of the job; 0: unknown
    int slowestRank = -1; ///< by the last step's time without waiting; -1: all alike
    TimeRange span;       ///< begin == end: nothing
    std::uint64_t events = 0, dropped = 0;
    int detail = 1;
    QString mesh;                     ///< canonical; "": unknown
    std::vector<std::string> devices; ///< one a rank; empty: unknown
    std::string jobJson;

    bool isEmpty() const { return events == 0; }
    const LaneView* lane(const LaneKey& key) const {
        const auto found = lanes.find(key);
        return found == lanes.end() ? nullptr : &found->second;
    }
    /// "GPU 3"; "Rank 2" where the device is not known.
    QString rankName(int rank) const;
    /// "c1 u0".
    QString rankPlace(int rank) const;
};

/// A place in a view.
struct EventRef {
    LaneKey lane;
    std::size_t index = 0;
    bool operator==(const EventRef&) const = default;
};
std::optional<TelemetryEvent> eventAt(const TraceView& view, const EventRef& ref);
/// The step that an event lies in; nullptr: none.
const StepSpan* stepOf(const TraceView& view, int step);

/// All events by start, as a trace file has them.
Trace toTrace(const TraceView& view);
/// As trace_totals() of the whole trace.
std::vector<TotalsRow> totalsOf(const TraceView& view, const TimeRange& range);

} // namespace reelmesh
