// A run's telemetry as a whole: kept in a file (*.reeltrace), summed over a span of time, exported for
// Perfetto. Plain values and pure functions; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/telemetry.h"

namespace reelmesh {

/// A quantity over time: a device's power, the cores in use.
struct TraceCounter {
    std::string name, unit;
    std::vector<std::int64_t> times_ns; ///< clock of the events, ascending
    std::vector<double> values;         ///< one a time; NaN: unknown
    bool operator==(const TraceCounter&) const = default;
};

struct Trace {
    std::vector<TelemetryEvent> events;
    std::uint64_t dropped = 0;        ///< events that nobody kept
    std::string mesh;                 ///< canonical; "": unknown
    std::vector<std::string> devices; ///< one a rank; empty: unknown
    std::string job_json;             ///< "": unknown
    int detail = 1;                   ///< RunOptions::detail of the run
    std::vector<TraceCounter> counters;
};

inline constexpr const char* kTraceSuffix = ".reeltrace";

/// Errors name the file, what was found, what is needed and what to do about it.
Result<Trace> read_trace(const std::string& path);
/// Replaces the file in one step.
Result<bool> write_trace(const std::string& path, const Trace& trace);
/// Chrome trace JSON, for Perfetto: pid = rank, tid 0 compute 1 communication 2 copy, microseconds from the
/// earliest event, "X" events that nest, one flow a collective, Kineto's argument names.
std::string trace_json(const Trace& trace);
/// The same into a file, replaced in one step.
Result<bool> write_trace_json(const std::string& path, const Trace& trace);

enum class TraceTrack { Compute, Communication, Copy };
TraceTrack track_of(const TelemetryEvent& event);
/// "self attention", "qkv exchange", "step 12".
std::string event_name(const TelemetryEvent& event);
/// What an event counts as in totals: "attention", "linear", "ulysses" ...
const char* event_kind_name(const TelemetryEvent& event);

/// Of an exchange: its span without the wait for peers.
std::int64_t transfer_ns(const TelemetryEvent& event);
/// Bytes per second of an exchange as collective benchmarks give them: the whole message over the time of
/// the transfer, and what a link carries of it. NaN where nothing moved.
double algorithm_rate(const TelemetryEvent& event);
double bus_rate(const TelemetryEvent& event);

/// The calls of one collective have this in common.
struct CollectiveKey {
    ExchangeGroup group = ExchangeGroup::Vae;
    std::uint8_t group_size = 0;
    std::int16_t first_rank = -1;
    std::uint32_t sequence = 0;
    auto operator<=>(const CollectiveKey&) const = default;
};
CollectiveKey collective_of(const TelemetryEvent& event);

/// What one rank did in a span of time; of all kinds together, or of one.
struct TotalsRow {
    int rank = 0;
    std::string kind; ///< event_kind_name(); "": all kinds
    std::int64_t busy_ns = 0;
    std::int64_t comm_ns = 0;    ///< transfers
    std::int64_t exposed_ns = 0; ///< of them while the rank computed nothing
    std::int64_t wait_ns = 0;    ///< for peers
    std::uint64_t bytes = 0;     ///< sent; of a transfer that is partly inside, its share
    /// Bytes a second of transfer; NaN where nothing moved.
    double bytes_per_s() const;
    bool operator==(const TotalsRow&) const = default;
};

/// Ranks ascending, of each the row of all kinds first. A rank computes while a part of a block runs; of a
/// block (step) without recorded parts (blocks), while it runs and no exchange does. Events may come in any
/// order; those of blocks and steps that touch the span must be all there.
std::vector<TotalsRow> trace_totals(std::span<const TelemetryEvent> events, std::int64_t begin_ns,
                                    std::int64_t end_ns);

/// From the first start to the last end; two zeros without events.
struct TraceSpan {
    std::int64_t begin_ns = 0, end_ns = 0;
};
TraceSpan trace_span(std::span<const TelemetryEvent> events);

} // namespace reelmesh
