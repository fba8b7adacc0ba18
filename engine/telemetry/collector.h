// Empties the recorders of a job's threads, in time before they fill. Control thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "telemetry/writer.h"

namespace reelmesh {

class TelemetryCollector {
public:
    using Sink = std::function<void(const std::vector<TelemetryEvent>& events, std::uint64_t dropped)>;

    /// keep: remember all events for a trace. sink gets each batch and the events lost since the batch
    /// before.
    TelemetryCollector(bool keep, Sink sink) : keep_(keep), sink_(std::move(sink)) {}

    /// The writer must outlive the collector or be removed.
    void add(TelemetryWriter& writer) { sources_.push_back({&writer, writer.dropped()}); }
    /// Takes what is left, then forgets the writer.
    void remove(TelemetryWriter& writer);
    void collect();

    const std::vector<TelemetryEvent>& kept() const { return kept_; }
    std::uint64_t dropped() const { return dropped_; }

private:
    struct Source {
        TelemetryWriter* writer;
        std::uint64_t dropped_before;
    };

    bool keep_;
    Sink sink_;
    std::vector<Source> sources_;
    std::vector<TelemetryEvent> fresh_, kept_;
    std::uint64_t dropped_ = 0;
};

} // namespace reelmesh
