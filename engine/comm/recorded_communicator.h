// Decorator: leaves an Exchange event for every collective and counts the bytes sent.
#pragma once

#include <atomic>
#include <memory>

#include "comm/communicator.h"
#include "engine/telemetry.h"
#include "telemetry/writer.h"

namespace reelmesh {

/// Bytes that a rank has sent along one axis since it was last reset.
struct SentBytes {
    std::atomic<std::uint64_t> bytes{0};
};

/// writer belongs to the rank's thread; it and sent must outlive the communicator.
std::shared_ptr<Communicator> make_recorded(std::shared_ptr<Communicator> inner, EventWork work,
                                            TelemetryWriter* writer, SentBytes* sent);

} // namespace reelmesh
