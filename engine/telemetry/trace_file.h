// The bytes of a trace file: a head of fixed size, strings and counters, then the events as they lie in
// memory. Little-endian. A check sum covers the number of dropped events and all behind the head. Pure; any
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/trace.h"

namespace reelmesh {

inline constexpr std::uint32_t kTraceVersion = 1;
inline constexpr std::uint64_t kMostTraceEvents = 1 << 23;
inline constexpr std::uint64_t kMostTraceTextBytes = 64 << 20;

struct TraceHead {
    char magic[8] = {'R', 'e', 'e', 'l', 'T', 'r', 'c', '\n'};
    std::uint32_t version = kTraceVersion;
    std::uint32_t event_bytes = sizeof(TelemetryEvent);
    std::uint64_t events = 0;
    std::uint64_t text_bytes = 0; ///< of strings and counters
    std::uint64_t dropped = 0;
    std::uint64_t check_sum = 0;
};
static_assert(sizeof(TraceHead) == 48);

/// Over all but the head's other fields. events: as they lie in the file, of any alignment.
std::uint64_t trace_check_sum(std::uint64_t dropped, std::string_view text, const void* events,
                              std::size_t event_count);

/// Where a trace is read from: fills the destination with the bytes from an offset on.
using ReadAt = std::function<void(std::uint64_t offset, void* destination, std::size_t size)>;
/// Throws about the file named. Asks for nothing outside size_bytes.
Trace parse_trace(const ReadAt& read, std::uint64_t size_bytes, const std::string& file);
/// What stands before the events.
std::string trace_start(const Trace& trace);

} // namespace reelmesh
