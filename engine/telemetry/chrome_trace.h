// A run's events as Chrome trace JSON, for chrome://tracing and Perfetto: pid = rank, tid 0
// compute, 1 communication, 2 copy; microseconds from the earliest event; "X" events that nest.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/telemetry.h"

namespace reelmesh {

/// dropped: events that did not fit the recorders, told in the file. records: of all collectives of all
/// ranks; they take the place of the Exchange events, wait and transfer being found by joining the members of
/// each call.
std::string chrome_trace_json(std::vector<TelemetryEvent> events, const std::vector<ExchangeRecord>& records,
                              std::uint64_t dropped, std::string_view mesh);

} // namespace reelmesh
