// A trace as a run of a mesh leaves it, made by arithmetic: the same settings give the same events. Two
// guidance branches, each a group of ranks that exchanges before and after self attention.
#pragma once

#include "engine/trace.h"

namespace reelmesh {

struct RecordedRun {
    int branches = 2, ulysses = 4; ///< ranks: their product
    int steps = 12, blocks = 30;
    int totalSteps = 40;
    bool parts = true; ///< detail 2
    int slowRank = 5;  ///< its compute takes longer
};

Trace recordedTrace(const RecordedRun& run);
/// At least so many events over 16 ranks.
Trace longTrace(std::size_t events);

} // namespace reelmesh
