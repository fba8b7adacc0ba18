#include "vae/wan/row_math.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace reelmesh {
namespace {

at::Tensor normalised(const at::Tensor& rows, const at::Tensor& gamma, Activation activation) {
    at::Tensor output = at::empty_like(rows);
    normalise_row(output.mutable_data_ptr<float>(), rows.const_data_ptr<float>(), rows.size(1),
                  gamma.const_data_ptr<float>(), rows.size(0), rows.size(1), activation);
    return output;
}

at::Tensor composed(const at::Tensor& rows, const at::Tensor& gamma) {
    const double root = std::sqrt(static_cast<double>(rows.size(1)));
    return at::silu(rows / rows.norm(2, 1, true).clamp_min(1e-12) * root * gamma);
}

TEST(NormaliseRowTest, IsAsExactAsItsComposition) {
    for (const std::int64_t channels : {1, 5, 12, 96}) {
        const at::Tensor rows = at::randn({257, channels}), gamma = at::randn({channels}) * 8;
        const at::Tensor exact = composed(rows.to(at::kDouble), gamma.to(at::kDouble));
        const auto error = [&](const at::Tensor& values) {
            return ((values.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
        };
        EXPECT_LE(error(normalised(rows, gamma, Activation::Silu)),
                  2 * error(composed(rows, gamma)) + std::numeric_limits<float>::epsilon())
            << channels;
    }
}

TEST(NormaliseRowTest, ValueDoesNotDependOnItsPlaceInTheRow) {
    const at::Tensor rows = at::randn({37, 5}), gamma = at::randn({5});
    const at::Tensor whole = normalised(rows, gamma, Activation::Silu);
    for (std::int64_t pixel = 0; pixel < 37; ++pixel)
        EXPECT_TRUE(
            normalised(rows.narrow(0, pixel, 1), gamma, Activation::Silu).equal(whole.narrow(0, pixel, 1)));
}

TEST(NormaliseRowTest, KeepsFarAndForeignValues) {
    const float not_a_number = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor gamma = at::tensor({1e4f, 1e-20f});
    const at::Tensor values =
        normalised(at::tensor({1.0f, 1.0f, -1.0f, 1.0f, 0.0f, 0.0f, not_a_number, 1.0f}).view({4, 2}), gamma,
                   Activation::Silu);
    EXPECT_FLOAT_EQ(values[0][0].item<float>(), 1e4f);
    EXPECT_NEAR(values[1][0].item<float>(), 0, 1e-30);
    EXPECT_EQ(values[2][0].item<float>(), 0);
    EXPECT_TRUE(std::isnan(values[3][0].item<float>()));
}

} // namespace
} // namespace reelmesh
