#include "parallel/redistribute.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "base/split.h"
#include "support/checked_mesh.h"

namespace reelmesh {
namespace {

using testing::checked_mesh;

at::Tensor values(std::vector<std::int64_t> shape) {
    return at::sin(at::arange(c10::multiply_integers(shape), at::kFloat) * 0.37F).view(shape);
}

// Tokens 1 ... 33 and heads 1 ... 12 over 2, 3, 4 ranks: what is split by heads and back has the same bytes.
TEST(RedistributeTest, TokensToHeadsAndBackRestoresEveryByte) {
    for (const int ranks : {2, 3, 4}) {
        MeshRunner mesh(checked_mesh("ulysses" + std::to_string(ranks)));
        for (std::int64_t tokens = ranks; tokens <= 33; tokens += 1 + tokens / 8)
            for (std::int64_t heads = 1; heads <= 12; ++heads) {
                const at::Tensor whole = values({3, tokens, heads, 4});
                const Placement by_token = Placement::split(1, Axis::Ulysses, split(tokens, ranks));
                const Placement by_head = Placement::split(2, Axis::Ulysses, split(heads, ranks));
                mesh.run([&](RankContext& context) {
                    const MeshTensor mine = redistribute({whole, Placement::whole()}, by_token, context, {});
                    const MeshTensor turned = redistribute(mine, by_head, context, {});
                    const MeshTensor cut = redistribute({whole, Placement::whole()}, by_head, context, {});
                    EXPECT_TRUE(turned.local.equal(cut.local));
                    EXPECT_TRUE(redistribute(turned, by_token, context, {}).local.equal(mine.local));
                    EXPECT_TRUE(redistribute(mine, Placement::whole(), context, {}).local.equal(whole));
                });
            }
    }
}

TEST(RedistributeTest, PartialSumsBecomeTheSumOnEveryRankInRankOrder) {
    MeshRunner mesh(checked_mesh("tp3"));
    const at::Tensor parts = values({3, 5, 7});
    mesh.run([&](RankContext& context) {
        const MeshTensor mine{parts[context.rank()].clone(), Placement::partial_sum(Axis::Tensor)};
        const MeshTensor sum = redistribute(mine, Placement::whole(), context, {});
        EXPECT_TRUE(sum.local.equal(parts[0] + parts[1] + parts[2]));
        EXPECT_EQ(sum.placement, Placement::whole());
    });
}

TEST(RedistributeTest, ResultsGoWhereTheCallerWants) {
    MeshRunner mesh(checked_mesh("ulysses2"));
    const at::Tensor whole = values({3, 5, 3, 4});
    mesh.run([&](RankContext& context) {
        const Placement by_token = Placement::split(1, Axis::Ulysses, {3, 2});
        const Placement by_head = Placement::split(2, Axis::Ulysses, {2, 1});
        const at::Tensor room = at::empty({3, 5, context.rank() == 0 ? 2 : 1, 4});
        const MeshTensor mine = redistribute({whole, Placement::whole()}, by_token, context, {});
        EXPECT_TRUE(redistribute(mine, by_head, context, {}, room).local.is_same(room));
        const at::Tensor small = at::empty({3, 4, 2, 4});
        if (context.rank() == 0)
            EXPECT_THROW(redistribute(mine, by_head, context, {}, small), EngineException);
    });
}

TEST(RedistributeTest, WithoutAGroupNothingMoves) {
    MeshRunner mesh(checked_mesh("single"));
    mesh.run([](RankContext& context) {
        const at::Tensor tensor = values({3, 5, 3, 4});
        const MeshTensor mine{tensor, Placement::split(1, Axis::Ulysses, {5})};
        EXPECT_TRUE(
            redistribute(mine, Placement::split(2, Axis::Ulysses, {3}), context, {}).local.is_same(tensor));
    });
}

} // namespace
} // namespace reelmesh
