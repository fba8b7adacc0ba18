// Transformers on GPUs, without the engine around them: of 1.3B's width against the CPU, and every legal mesh
// of one card and of several against one rank there. Built beside real GPUs, where it skips without one, and
// simulated ones.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "device/cuda_backend.h"
#include "mesh/mesh_runner.h"
#include "support/meshed_transformer.h"

namespace reelmesh::testing {
namespace {

class GpuTransformerTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!cuda_part().backend) GTEST_SKIP() << cuda_part().reason;
        cards_ = static_cast<int>(cuda_part().backend->devices().size());
    }

    /// Ranks on so many cards in turn; none: on the CPU.
    static MeshOptions options_of(const MeshShape& shape, int cards) {
        MeshOptions options;
        options.shape = shape;
        options.threads = 2;
        options.check = CheckCalls::Always;
        options.deadline = std::chrono::seconds(60);
        for (int rank = 0; rank < shape.ranks() && cards > 0; ++rank)
            options.devices.emplace_back(at::kCUDA, static_cast<c10::DeviceIndex>(rank % cards));
        return options;
    }
    static std::vector<at::Tensor> one_rank(MeshedTransformer& model, int cards, int branches = 1) {
        MeshRunner alone(options_of(MeshShape{}, cards));
        return model.run(alone, branches);
    }

    static void expect_meshes_equal_one_rank(MeshedTransformer model, int branches, int cards) {
        const std::vector<at::Tensor> serial = one_rank(model, 1, branches);
        int meshes = 0;
        for (int ranks = 2; ranks <= 8; ++ranks)
            for (const MeshShape& shape : legal_meshes(model.limits(branches), ranks)) {
                SCOPED_TRACE(mesh_text(shape) + " on " + std::to_string(cards) + " cards");
                MeshRunner mesh(options_of(shape, cards));
                const std::vector<at::Tensor> parallel = model.run(mesh, branches);
                const std::vector<at::Tensor> repeated = model.run(mesh, branches);
                for (std::size_t branch = 0; branch < serial.size(); ++branch) {
                    EXPECT_TRUE(repeated[branch].equal(parallel[branch]));
                    if (shape.ranks() == shape.degree(Axis::Cfg))
                        EXPECT_TRUE(parallel[branch].equal(serial[branch]));
                    else
                        EXPECT_LE(relative_l2(parallel[branch], serial[branch]), 1e-5);
                }
                ++meshes;
            }
        EXPECT_GT(meshes, 8);
        std::cout << "[ MEASURED ] " << meshes << " meshes\n";
    }

    int cards_ = 0;
    const c10::InferenceMode inference_;
};

TEST_F(GpuTransformerTest, Of1300MillionsWidthGivesTheVelocitiesOfTheCpu) {
    const WanTransformerConfig config = two_layers(12, 128, 8960);
    MeshedTransformer exact(config, {3, 8, 8});
    const at::Tensor reference = one_rank(exact, 0).front();
    const double distance = relative_l2(one_rank(exact, 1).front(), reference);
    std::cout << "[ MEASURED ] rel L2 " << distance << '\n';
    EXPECT_LE(distance, 1e-5);
    EXPECT_GT(distance, 0) << "both ran on the same device";
    // Rounded: as far from float32 as the CPU's own, up to twice.
    MeshedTransformer rounded(config, {3, 8, 8}, Times::One, at::kBFloat16);
    EXPECT_LE(relative_l2(one_rank(rounded, 1).front(), reference),
              2 * relative_l2(one_rank(rounded, 0).front(), reference));
}

TEST_F(GpuTransformerTest, EveryLegalMeshOfOneCardGivesItsOneRankVelocities) {
    expect_meshes_equal_one_rank({two_layers(12), {3, 3, 3}}, 2, 1);
    expect_meshes_equal_one_rank({two_layers(5), {5, 5, 2}}, 1, 1);
    expect_meshes_equal_one_rank({two_layers(8), {3, 3, 3}, Times::PerToken}, 2, 1);
}

TEST_F(GpuTransformerTest, EveryLegalMeshOverCardsGivesTheOneRankVelocities) {
    if (cards_ < 2) GTEST_SKIP() << "one GPU";
    expect_meshes_equal_one_rank({two_layers(12), {3, 3, 3}}, 2, cards_);
}

} // namespace
} // namespace reelmesh::testing
