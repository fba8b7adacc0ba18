#include "parallel/guidance_parallel.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "parallel/redistribute.h"
#include "support/checked_mesh.h"

namespace reelmesh {
namespace {

using testing::checked_mesh;

at::Tensor branch_value(int branch, std::int64_t width) {
    return at::arange(width, at::kFloat) * 0.37F + static_cast<float>(branch) * 3;
}

TEST(GuidanceParallelTest, SameOperandsInTheSameRolesOnOneRankAndOnTwo) {
    for (const char* mesh_name : {"single", "cfg2"}) {
        MeshRunner mesh(checked_mesh(mesh_name));
        std::vector<std::vector<int>> ran(static_cast<std::size_t>(mesh.ranks()));
        mesh.run([&](RankContext& context) {
            const auto all = run_branches(2, context, [&](int branch) -> std::vector<at::Tensor> {
                ran[static_cast<std::size_t>(context.rank())].push_back(branch);
                return {branch_value(branch, 11), branch_value(branch, 4)};
            });
            ASSERT_EQ(all.size(), 2U);
            for (int branch = 0; branch < 2; ++branch) {
                EXPECT_TRUE(all[static_cast<std::size_t>(branch)][0].equal(branch_value(branch, 11)));
                EXPECT_TRUE(all[static_cast<std::size_t>(branch)][1].equal(branch_value(branch, 4)));
            }
        });
        if (mesh.ranks() == 1)
            EXPECT_EQ(ran[0], (std::vector<int>{0, 1}));
        else
            EXPECT_EQ(ran, (std::vector<std::vector<int>>{{0}, {1}}));
    }
}

TEST(GuidanceParallelTest, BytesAreOneVelocityToThePeer) {
    MeshRunner mesh(checked_mesh("cfg2"));
    mesh.run([&](RankContext& context) {
        run_branches(2, context,
                     [&](int branch) -> std::vector<at::Tensor> { return {branch_value(branch, 25)}; });
    });
    EXPECT_EQ(mesh.sent_bytes().at("cfg"), 2U * 25U * 4U);
    mesh.begin_job(2);
    EXPECT_EQ(mesh.sent_bytes().at("cfg"), 0U);
}

TEST(GuidanceParallelTest, BranchToWholeAndBackIsBitEqual) {
    MeshRunner mesh(checked_mesh("cfg2"));
    mesh.run([](RankContext& context) {
        const at::Tensor mine = branch_value(context.rank(), 33).view({3, 11}).t();
        const MeshTensor whole = redistribute({mine, Placement::branch()}, Placement::whole(), context, {});
        EXPECT_EQ(whole.placement, Placement::whole());
        const MeshTensor back = redistribute(whole, Placement::branch(), context, {});
        EXPECT_TRUE(back.local.equal(mine));
    });
}

TEST(GuidanceParallelTest, EqualPlacementMovesNothingAndUnknownPairsAreRefused) {
    MeshRunner mesh(checked_mesh("single"));
    mesh.run([](RankContext& context) {
        const MeshTensor tensor{branch_value(0, 3), Placement::whole()};
        EXPECT_TRUE(redistribute(tensor, Placement::whole(), context, {}).local.is_same(tensor.local));
        EXPECT_THROW(redistribute(tensor, Placement::partial_sum(Axis::Tensor), context, {}),
                     EngineException);
    });
}

} // namespace
} // namespace reelmesh
