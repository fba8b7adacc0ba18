#include "sampling/noise.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>

#include <array>

#include "sampling/philox.h"

namespace reelmesh {
namespace {

using Words = std::array<std::uint32_t, 4>;

TEST(NoiseTest, PhiloxGivesThePublishedWords) {
    EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(philox({0, 0, 0, 0}, {42, 0}), (Words{0x9ceaf053, 0x77f5493b, 0x12bf50ad, 0x5742b3d7}));
}

TEST(NoiseTest, GivesTheDocumentedValues) {
    const std::array<double, 8> expected{-0.97018981, 0.19401896,  -1.23562074, 1.92392671,
                                         -0.07318151, 0.139137492, -1.10666502, 0.326682955};
    const at::Tensor values = noise(42, NoisePurpose::Initial, 0, {2, 1, 2, 2}).flatten();
    for (int i = 0; i < 8; ++i)
        EXPECT_NEAR(values[i].item<double>(), expected[static_cast<std::size_t>(i)], 1e-6) << i;
}

TEST(NoiseTest, SlicesEqualTheWholeAtAnyOffset) {
    const at::Tensor whole = noise(7, NoisePurpose::Initial, 0, {3, 5, 7}).flatten();
    for (std::int64_t first = 0; first < 12; ++first)
        for (std::int64_t count = 0; count < 14; ++count)
            EXPECT_TRUE(
                at::equal(noise_slice(7, NoisePurpose::Initial, 0, static_cast<std::uint64_t>(first), count),
                          whole.narrow(0, first, count)))
                << first << " " << count;
}

TEST(NoiseTest, PositionsBeyond32BitsOfBlocksAreDistinct) {
    const std::uint64_t far = (std::uint64_t{1} << 32) * 4;
    EXPECT_FALSE(at::equal(noise_slice(7, NoisePurpose::Initial, 0, 0, 4),
                           noise_slice(7, NoisePurpose::Initial, 0, far, 4)));
}

TEST(NoiseTest, SeedPurposeAndStepEachGiveOtherValues) {
    const auto draw = [](std::uint64_t seed, NoisePurpose purpose, std::uint32_t step) {
        return noise(seed, purpose, step, {64});
    };
    const at::Tensor base = draw(1, NoisePurpose::Initial, 0);
    EXPECT_TRUE(at::equal(base, draw(1, NoisePurpose::Initial, 0)));
    for (const at::Tensor& other :
         {draw(2, NoisePurpose::Initial, 0), draw(1 + (std::uint64_t{1} << 32), NoisePurpose::Initial, 0),
          draw(1, NoisePurpose::Solver, 0), draw(1, NoisePurpose::Initial, 1)})
        EXPECT_GT((base - other).abs().min().item<double>(), 0);
}

TEST(NoiseTest, IsStandardNormal) {
    const at::Tensor values = noise(3, NoisePurpose::Solver, 9, {1'000'000}).to(at::kDouble);
    // Five standard errors of each figure.
    EXPECT_NEAR(values.mean().item<double>(), 0, 5e-3);
    EXPECT_NEAR((values * values).mean().item<double>(), 1, 7.1e-3);
    EXPECT_NEAR(values.pow(4).mean().item<double>(), 3, 4.9e-2);
    // Neighbours of a pair, and pairs of a block, do not go together.
    for (const std::int64_t distance : {1, 2, 4}) {
        const std::int64_t count = values.numel() - distance;
        const at::Tensor products = values.narrow(0, 0, count) * values.narrow(0, distance, count);
        EXPECT_NEAR(products.mean().item<double>(), 0, 5e-3) << distance;
    }
}

} // namespace
} // namespace reelmesh
