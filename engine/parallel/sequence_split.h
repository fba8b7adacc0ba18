// Which tokens of a sequence each rank has: slot ring * U + ulysses is that part of the split sequence, so
// that a ring block is U slots in a row. Plain values, the same on every rank.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/parts.h"
#include "mesh/rank_context.h"

namespace reelmesh {

struct SequenceSplit {
    Parts slots; ///< ring * ulysses of them
    int ring = 1, ulysses = 1;
    int own_ring = 0, own_ulysses = 0;

    /// weights: relative speeds of the slots; empty: all alike. Internal error where a slot would be empty.
    SequenceSplit(std::int64_t tokens, const MeshShape& shape, int rank, const std::vector<double>& weights);
    SequenceSplit(std::int64_t tokens, const RankContext& context)
        : SequenceSplit(tokens, context.shape(), context.rank(), context.slot_weights()) {}

    int own_slot() const { return own_ring * ulysses + own_ulysses; }
    std::int64_t first() const { return slots.start(own_slot()); }
    std::int64_t count() const { return slots.size(own_slot()); }
    /// Tokens of the slots of a ring block, by ulysses coordinate.
    std::vector<std::int64_t> block_slots(int ring_rank) const;
    std::int64_t block_tokens(int ring_rank) const;
};

} // namespace reelmesh
