// Any legal mesh gives the one-rank result: every factorisation of 1 to 8 ranks, enumerated, on tiny Wan
// transformers whose heads and tokens divide by nothing; and the same bits again under other delays.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <random>
#include <thread>

#include "base/check.h"
#include "mesh/mesh_runner.h"
#include "support/meshed_transformer.h"

namespace reelmesh::testing {
namespace {

struct Case {
    std::int64_t heads;
    std::array<std::int64_t, 3> grid;
    Times times = Times::One;
    at::ScalarType dtype = at::kFloat;

    MeshedTransformer model() const { return {two_layers(heads), grid, times, dtype}; }
};

/// Ranks that dawdle before blocks, differently with each seed.
MeshOptions options_of(const MeshShape& shape, unsigned delay_seed) {
    MeshOptions options;
    options.shape = shape;
    options.threads = shape.ranks();
    options.check = CheckCalls::Always;
    options.deadline = std::chrono::seconds(60);
    options.hooks.block = [delay_seed](const RankContext& context, int block) {
        std::mt19937 draw(delay_seed * 1000 + static_cast<unsigned>(context.rank() * 100 + block));
        if (delay_seed > 0 && draw() % 3 == 0)
            std::this_thread::sleep_for(std::chrono::microseconds(draw() % 1500));
    };
    return options;
}

void expect_equal_to_serial(const Case& made, int branches) {
    const c10::InferenceMode inference;
    MeshedTransformer model = made.model();
    MeshRunner alone(options_of(MeshShape{}, 0));
    const std::vector<at::Tensor> serial = model.run(alone, branches);
    for (const at::Tensor& velocity : serial)
        ASSERT_TRUE(at::isfinite(velocity).all().item<bool>());
    const MeshLimits limits = model.limits(branches);
    int meshes = 0;
    for (int ranks = 1; ranks <= 8; ++ranks)
        for (const MeshShape& shape : legal_meshes(limits, ranks)) {
            SCOPED_TRACE(mesh_text(shape) + " with " + std::to_string(made.heads) + " heads and " +
                         std::to_string(model.tokens()) + " tokens");
            MeshRunner mesh(options_of(shape, 1));
            const std::vector<at::Tensor> parallel = model.run(mesh, branches);
            MeshRunner again(options_of(shape, 2));
            const std::vector<at::Tensor> repeated = model.run(again, branches);
            const bool only_cfg = shape.ranks() == shape.degree(Axis::Cfg);
            for (std::size_t branch = 0; branch < serial.size(); ++branch) {
                EXPECT_TRUE(repeated[branch].equal(parallel[branch]));
                if (only_cfg)
                    EXPECT_TRUE(parallel[branch].equal(serial[branch]));
                else
                    EXPECT_LE(relative_l2(parallel[branch], serial[branch]), 1e-5);
            }
            ++meshes;
        }
    EXPECT_GT(meshes, 8);
}

class ParallelEqualsSerialTest : public ::testing::TestWithParam<Case> {};

TEST_P(ParallelEqualsSerialTest, WithBothBranches) {
    expect_equal_to_serial(GetParam(), 2);
}
TEST_P(ParallelEqualsSerialTest, WithoutGuidance) {
    expect_equal_to_serial(GetParam(), 1);
}

INSTANTIATE_TEST_SUITE_P(Models, ParallelEqualsSerialTest,
                         ::testing::Values(Case{2, {2, 3, 3}}, Case{3, {3, 3, 3}}, Case{4, {1, 2, 4}},
                                           Case{5, {5, 5, 2}}, Case{8, {5, 7, 1}}, Case{12, {3, 3, 3}},
                                           Case{12, {1, 3, 5}}, Case{5, {2, 3, 3}, Times::PerToken},
                                           Case{8, {3, 3, 3}, Times::PerToken}),
                         [](const auto& info) {
                             const Case& made = info.param;
                             return std::to_string(made.heads) + "Heads" +
                                    std::to_string(made.grid[0] * made.grid[1] * made.grid[2]) + "Tokens" +
                                    std::to_string(made.grid[0]) + "Frames" +
                                    (made.times == Times::PerToken ? "TimePerToken" : "");
                         });

// Unlike ranks get tokens in proportion to their speed; the result is the same.
TEST(UnlikeRanksTest, SplitsByWeightGiveTheOneRankResult) {
    const c10::InferenceMode inference;
    MeshedTransformer model(two_layers(5), {5, 5, 2});
    MeshRunner alone(options_of(MeshShape{}, 0));
    const at::Tensor serial = model.run(alone, 1).front();
    const std::vector<std::pair<const char*, std::vector<double>>> machines{{"ulysses2", {1, 3}},
                                                                            {"ring3", {2, 1, 4}},
                                                                            {"ulysses2,ring2", {1, 2, 1, 5}},
                                                                            {"cfg2,ulysses2", {3, 1}}};
    for (const auto& [mesh_name, weights] : machines) {
        MeshOptions options = options_of(parse_mesh(mesh_name), 1);
        options.slot_weights = weights;
        MeshRunner mesh(options);
        const int branches = mesh.shape().degree(Axis::Cfg);
        EXPECT_LE(relative_l2(model.run(mesh, branches).front(), serial), 1e-5) << mesh_name;
    }
}

// The parallel path on one rank: groups of one rank on every axis.
TEST(ParallelPathTest, OfOneRankGivesTheBitsOfThePlainPath) {
    const c10::InferenceMode inference;
    MeshedTransformer model(two_layers(6), {3, 3, 3});
    MeshOptions options = options_of(MeshShape{}, 0);
    MeshRunner plain(options);
    options.hooks.groups_of_one = true;
    MeshRunner parallel(options);
    const auto expected = model.run(plain, 2), got = model.run(parallel, 2);
    for (int branch = 0; branch < 2; ++branch)
        EXPECT_TRUE(got[static_cast<std::size_t>(branch)].equal(expected[static_cast<std::size_t>(branch)]));
    EXPECT_EQ(parallel.records().size(), 2U * 2 * 2); // branches, layers, there and back
    for (const auto& [axis, bytes] : parallel.sent_bytes())
        EXPECT_EQ(bytes, 0U) << axis;
}

// Both against one rank in float32: a mesh rounds its exchanged values and sums, and may err twice as much.
TEST(ParallelPrecisionTest, Bf16OnAMeshErrsAtMostTwiceAsMuchAsOnOneRank) {
    const c10::InferenceMode inference;
    const Case exact_case{12, {3, 3, 3}};
    Case rounded_case = exact_case;
    rounded_case.dtype = at::kBFloat16;
    MeshedTransformer exact = exact_case.model(), rounded = rounded_case.model();
    MeshRunner alone(options_of(MeshShape{}, 0));
    const at::Tensor reference = exact.run(alone, 1).front();
    const double one_rank = relative_l2(rounded.run(alone, 1).front(), reference);
    EXPECT_GT(one_rank, 1e-4);
    for (const int ranks : {2, 3, 4, 6, 8})
        for (const MeshShape& shape : legal_meshes(exact.limits(1), ranks)) {
            MeshRunner mesh(options_of(shape, 0));
            EXPECT_LE(relative_l2(rounded.run(mesh, 1).front(), reference), 2 * one_rank) << mesh_text(shape);
        }
}

} // namespace
} // namespace reelmesh::testing
