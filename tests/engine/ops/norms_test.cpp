#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "ops/layer_norm_modulate.h"
#include "ops/rms_norm.h"
#include "support/golden.h"

namespace reelmesh {
namespace {

using testing::relative_l2;

constexpr double kEps = 1e-6;

at::Tensor exact_rms(const at::Tensor& x, const at::Tensor& weight) {
    const at::Tensor exact = x.to(at::kDouble);
    return exact * (exact.square().mean(-1, true) + kEps).rsqrt() * weight.to(at::kDouble);
}

TEST(RmsNormTest, EqualsFloat64AndSeesEps) {
    at::manual_seed(1);
    const at::Tensor x = at::randn({45, 48}) * 1e-2, weight = at::randn({48});
    EXPECT_LE(relative_l2(ops::rms_norm(x, weight, kEps), exact_rms(x, weight)), 2e-7);
    EXPECT_LE(relative_l2(ops::rms_norm_then_scale(x, weight, kEps), exact_rms(x, weight)), 2e-7);
    EXPECT_GT(relative_l2(ops::rms_norm(x, weight, 1e-5), exact_rms(x, weight)), 1e-2);
}

TEST(RmsNormTest, RoundsOnceToTheInputsType) {
    at::manual_seed(2);
    const at::Tensor x = at::randn({33, 64}).to(at::kBFloat16), weight = at::randn({64}).to(at::kBFloat16);
    const at::Tensor once = ops::rms_norm(x, weight, kEps);
    EXPECT_EQ(once.scalar_type(), at::kBFloat16);
    // Half a unit in the last place of eight bits, and float32's own error.
    EXPECT_TRUE(
        ((once.to(at::kDouble) - exact_rms(x, weight)).abs() <= exact_rms(x, weight).abs() * 0.00391 + 1e-7)
            .all()
            .item<bool>());
}

TEST(RmsNormTest, TextEncodersOrderRoundsBeforeTheWeight) {
    at::manual_seed(3);
    const at::Tensor x = at::randn({33, 64}), weight = at::randn({64}).to(at::kHalf);
    const at::Tensor rounded = ops::rms_norm(x, at::ones({64}), kEps).to(at::kHalf) * weight;
    const at::Tensor result = ops::rms_norm_then_scale(x, weight, kEps);
    EXPECT_EQ(result.scalar_type(), at::kHalf);
    EXPECT_TRUE(result.equal(rounded));
}

TEST(LayerNormModulateTest, EqualsFloat64WithOneOrAllRowsOfModulation) {
    at::manual_seed(4);
    const at::Tensor x = at::randn({45, 48}) * 1e-2;
    for (const std::int64_t rows : {std::int64_t{1}, std::int64_t{45}}) {
        const at::Tensor shift = at::randn({rows, 48}), scale = at::randn({rows, 48});
        const at::Tensor expected =
            at::layer_norm(x.to(at::kDouble), {48}, {}, {}, kEps) * (scale.to(at::kDouble) + 1) + shift;
        EXPECT_LE(relative_l2(ops::layer_norm_modulate(x, shift, scale, kEps), expected), 2e-7);
        EXPECT_GT(relative_l2(ops::layer_norm_modulate(x, shift, scale, 1e-5), expected), 1e-3);
        EXPECT_GT(relative_l2(ops::layer_norm_modulate(x, scale, shift, kEps), expected), 1e-1);
    }
}

TEST(LayerNormModulateTest, ModulationStaysExactUnderHalfPrecision) {
    at::manual_seed(5);
    const at::Tensor x = at::randn({7, 64}).to(at::kBFloat16), shift = at::randn({1, 64}),
                     scale = at::randn({1, 64});
    const at::Tensor result = ops::layer_norm_modulate(x, shift, scale, kEps);
    EXPECT_TRUE(
        result.equal(ops::layer_norm_modulate(x.to(at::kFloat), shift, scale, kEps).to(at::kBFloat16)));
}

} // namespace
} // namespace reelmesh
