#include "ops/rotary_3d.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <string>

#include "support/golden.h"

namespace reelmesh {
namespace {

using testing::read_golden;

struct Grid {
    std::int64_t head_dim;
    std::array<std::int64_t, 3> size;
    std::string name() const {
        return "hd" + std::to_string(head_dim) + "_" + std::to_string(size[0]) + "x" +
               std::to_string(size[1]) + "x" + std::to_string(size[2]);
    }
};

class RotaryGoldenTest : public ::testing::TestWithParam<Grid> {};

TEST_P(RotaryGoldenTest, TablesEqualTheReference) {
    const at::Tensor phases = ops::rotary_3d_phases(GetParam().size, GetParam().head_dim);
    const at::Tensor cos = at::real(phases).repeat_interleave(2, -1),
                     sin = at::imag(phases).repeat_interleave(2, -1);
    EXPECT_TRUE(at::allclose(cos, read_golden("components/rope", GetParam().name() + ".cos"), 0, 1e-7));
    EXPECT_TRUE(at::allclose(sin, read_golden("components/rope", GetParam().name() + ".sin"), 0, 1e-7));
}

INSTANTIATE_TEST_SUITE_P(All, RotaryGoldenTest,
                         ::testing::Values(Grid{128, {1, 1, 52}}, Grid{128, {21, 1, 1}}, Grid{128, {2, 3, 4}},
                                           Grid{12, {2, 3, 2}}, Grid{16, {2, 3, 2}}, Grid{16, {3, 5, 3}},
                                           Grid{20, {2, 4, 3}}),
                         [](const auto& info) { return info.param.name(); });

TEST(RotaryTest, FarPositionsEqualPrintedValues) {
    // Columns 0, 1, 2, 42, 43 of the frame part, 44, 46, 85 of the row part, 86, 127 of the column part.
    const auto cos_at = [](const at::Tensor& phases, std::int64_t token, std::int64_t column) {
        return at::real(phases).index({token, column / 2}).item<float>();
    };
    const at::Tensor frames = ops::rotary_3d_phases({1024, 1, 1}, 128);
    EXPECT_NEAR(cos_at(frames, 1023, 0), 0.40006819, 1e-7);
    EXPECT_NEAR(cos_at(frames, 1023, 2), 0.72147864, 1e-7);
    EXPECT_NEAR(cos_at(frames, 1023, 43), 0.98793626, 1e-7);
    EXPECT_NEAR(cos_at(frames, 20, 42), 0.99999535, 1e-7);
    const at::Tensor rows = ops::rotary_3d_phases({1, 1024, 1}, 128);
    EXPECT_NEAR(cos_at(rows, 1023, 46), 0.99894249, 1e-7);
    EXPECT_NEAR(cos_at(rows, 1023, 85), 0.98744655, 1e-7);
    const at::Tensor columns = ops::rotary_3d_phases({1, 1, 1024}, 128);
    EXPECT_NEAR(cos_at(columns, 1023, 86), 0.40006819, 1e-7);
    EXPECT_NEAR(cos_at(columns, 1023, 127), 0.98744655, 1e-7);
    EXPECT_NEAR(at::imag(columns).index({20, 43}).item<float>(), 0.91294527, 1e-7);
}

TEST(RotaryTest, TurnsNeighbouringPairsOfEveryHead) {
    at::manual_seed(1);
    const at::Tensor phases = ops::rotary_3d_phases({2, 3, 2}, 12), x = at::randn({12, 36});
    const at::Tensor result = ops::rotate_pairs(x, phases);
    for (std::int64_t token : {0, 5, 11})
        for (std::int64_t head = 0; head < 3; ++head)
            for (std::int64_t pair = 0; pair < 6; ++pair) {
                const double even = x.index({token, head * 12 + 2 * pair}).item<double>();
                const double odd = x.index({token, head * 12 + 2 * pair + 1}).item<double>();
                const double cos = at::real(phases).index({token, pair}).item<double>();
                const double sin = at::imag(phases).index({token, pair}).item<double>();
                EXPECT_NEAR(result.index({token, head * 12 + 2 * pair}).item<double>(),
                            even * cos - odd * sin, 1e-6);
                EXPECT_NEAR(result.index({token, head * 12 + 2 * pair + 1}).item<double>(),
                            even * sin + odd * cos, 1e-6);
            }
}

TEST(RotaryTest, HalfPrecisionIsTurnedInFloat32) {
    at::manual_seed(2);
    const at::Tensor phases = ops::rotary_3d_phases({1, 3, 2}, 12), x = at::randn({6, 24}).to(at::kBFloat16);
    EXPECT_TRUE(
        ops::rotate_pairs(x, phases).equal(ops::rotate_pairs(x.to(at::kFloat), phases).to(at::kBFloat16)));
}

} // namespace
} // namespace reelmesh
