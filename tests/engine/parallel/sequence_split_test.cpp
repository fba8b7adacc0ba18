#include "parallel/sequence_split.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace reelmesh {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST(SequenceSplitTest, SlotsFollowEachOtherInTokenOrderWithinRingBlocks) {
    const MeshShape shape = parse_mesh("cfg2,ulysses3,ring2,tp2");
    for (int rank = 0; rank < shape.ranks(); ++rank) {
        const SequenceSplit split(20, shape, rank, {});
        EXPECT_EQ(split.slots.sizes, (Sizes{4, 4, 3, 3, 3, 3}));
        const int slot = shape.coordinate(rank, Axis::Ring) * 3 + shape.coordinate(rank, Axis::Ulysses);
        EXPECT_EQ(split.own_slot(), slot);
        EXPECT_EQ(split.first(), (Sizes{0, 4, 8, 11, 14, 17})[static_cast<std::size_t>(slot)]);
        EXPECT_EQ(split.block_slots(0), (Sizes{4, 4, 3}));
        EXPECT_EQ(split.block_tokens(1), 9);
    }
}

TEST(SequenceSplitTest, UnlikeRanksGetUnlikeParts) {
    const SequenceSplit split(100, parse_mesh("ulysses2,ring2"), 3, {1, 1, 1, 2});
    EXPECT_EQ(split.slots.sizes, (Sizes{20, 20, 20, 40}));
    EXPECT_EQ(split.first(), 60);
}

TEST(SequenceSplitTest, NoRankMayBeWithoutTokens) {
    EXPECT_THROW(SequenceSplit(3, parse_mesh("ulysses4"), 0, {}), EngineException);
}

} // namespace
} // namespace reelmesh
