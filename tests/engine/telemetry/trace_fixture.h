// Events by hand, for tests of traces.
#pragma once

#include "engine/trace.h"

namespace reelmesh::testing {

inline TelemetryEvent span_event(EventKind kind, std::int64_t start_ns, std::int64_t end_ns, int rank) {
    TelemetryEvent event;
    event.kind = kind;
    event.start_ns = start_ns;
    event.end_ns = end_ns;
    event.rank = static_cast<std::int16_t>(rank);
    return event;
}

/// One rank's part of call number `sequence` of the Ulysses group of two whose first rank is given.
inline TelemetryEvent exchange_event(std::int64_t start_ns, std::int64_t end_ns, int rank, int first_rank = 0,
                                     std::uint32_t sequence = 1) {
    TelemetryEvent event = span_event(EventKind::Exchange, start_ns, end_ns, rank);
    event.group = ExchangeGroup::Ulysses;
    event.op = ExchangeOp::AllToAll;
    event.detail = static_cast<std::uint16_t>(ExchangePurpose::Qkv);
    event.group_size = 2;
    event.first_rank = static_cast<std::int16_t>(first_rank);
    event.sequence = sequence;
    return event;
}

} // namespace reelmesh::testing
