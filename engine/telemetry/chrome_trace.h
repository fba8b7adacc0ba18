// A run's events as Chrome trace JSON, for chrome://tracing and Perfetto: pid = rank, tid 0
// compute, 1 communication, 2 copy; microseconds from the earliest event; "X" events that nest.
// Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/telemetry.h"

namespace reelmesh {

/// dropped: events that did not fit the recorders, told in the file.
std::string chrome_trace_json(std::vector<TelemetryEvent> events, std::uint64_t dropped,
                              std::string_view mesh);

} // namespace reelmesh
