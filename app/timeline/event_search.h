// Finds events: under a point, beside another one, of the same collective on other ranks. Pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "models/trace_view.h"

namespace reelmesh {

/// Of lanes from the uppermost down the event at the time, else the nearest one within the tolerance.
std::optional<EventRef> findEvent(const TraceView& view, const std::vector<LaneKey>& lanes,
                                  std::int64_t time_ns, std::int64_t tolerance_ns);
/// step 1: the one after it, -1: before it; nothing at the ends.
std::optional<EventRef> neighbourOf(const TraceView& view, const EventRef& ref, int step);
/// The members of an exchange's collective by rank, as far as they are there; empty for other events.
std::vector<EventRef> collectiveMembers(const TraceView& view, const EventRef& ref);
/// The same collective on the next rank of the group (step 1) or the one before, around its ends.
std::optional<EventRef> onNextRank(const TraceView& view, const EventRef& ref, int step);

} // namespace reelmesh
