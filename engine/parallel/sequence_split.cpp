#include "parallel/sequence_split.h"

#include <algorithm>

#include "base/check.h"
#include "base/split.h"

namespace reelmesh {
namespace {

Parts slots_of(std::int64_t tokens, int count, const std::vector<double>& weights) {
    return Parts(weights.empty() ? split(tokens, count) : split(tokens, weights));
}

} // namespace

SequenceSplit::SequenceSplit(std::int64_t tokens, const MeshShape& shape, int rank,
                             const std::vector<double>& weights)
    : slots(slots_of(tokens, shape.degree(Axis::Ring) * shape.degree(Axis::Ulysses), weights)),
      ring(shape.degree(Axis::Ring)), ulysses(shape.degree(Axis::Ulysses)),
      own_ring(shape.coordinate(rank, Axis::Ring)), own_ulysses(shape.coordinate(rank, Axis::Ulysses)) {
    REELMESH_CHECK(static_cast<int>(slots.sizes.size()) == ring * ulysses);
    REELMESH_CHECK(std::ranges::all_of(slots.sizes, [](std::int64_t size) { return size > 0; }));
}

std::vector<std::int64_t> SequenceSplit::block_slots(int ring_rank) const {
    const auto first = slots.sizes.begin() + static_cast<std::ptrdiff_t>(ring_rank) * ulysses;
    return {first, first + ulysses};
}

std::int64_t SequenceSplit::block_tokens(int ring_rank) const {
    std::int64_t sum = 0;
    for (const std::int64_t size : block_slots(ring_rank))
        sum += size;
    return sum;
}

} // namespace reelmesh
