#include "telemetry/collector.h"

#include <algorithm>

namespace reelmesh {

void TelemetryCollector::remove(TelemetryWriter& writer) {
    collect();
    std::erase_if(sources_, [&](const Source& source) { return source.writer == &writer; });
}

void TelemetryCollector::collect() {
    std::uint64_t lost = 0;
    for (Source& source : sources_) {
        source.writer->drain(fresh_);
        lost += source.writer->dropped() - source.dropped_before;
        source.dropped_before = source.writer->dropped();
    }
    dropped_ += lost;
    if (fresh_.empty() && lost == 0) return;
    if (keep_) kept_.insert(kept_.end(), fresh_.begin(), fresh_.end());
    sink_(fresh_, lost);
    fresh_.clear();
}

} // namespace reelmesh
