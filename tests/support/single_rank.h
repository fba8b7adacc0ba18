// A one-rank context for tests of models: gate open, telemetry recorded, no communicators.
#pragma once

#include "mesh/rank_context.h"

namespace reelmesh::testing {

struct SingleRank {
    CancelGate gate;
    TelemetryWriter writer{0};
    RankContext context{0, MeshShape{}, &gate, &writer};
};

} // namespace reelmesh::testing
