#include "ops/attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "support/golden.h"
#include "support/thread_counts.h"

namespace reelmesh {
namespace {

using testing::relative_l2;

at::Tensor exact_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                           double scale) {
    const at::Tensor scores = at::matmul(query.to(at::kDouble), key.to(at::kDouble).transpose(1, 2)) * scale;
    return at::matmul(at::softmax(scores, -1), value.to(at::kDouble));
}

class AttentionTest : public ::testing::TestWithParam<std::int64_t> {
protected:
    at::Tensor random(std::int64_t tokens, std::int64_t head_dim = 16) const {
        return at::randn({tokens, GetParam() * head_dim})
            .view({tokens, GetParam(), head_dim})
            .transpose(0, 1);
    }
};

TEST_P(AttentionTest, EqualsFloat64SoftmaxOnViewsOfMergedHeads) {
    at::manual_seed(1);
    const at::Tensor query = random(45), key = random(70), value = random(70);
    const at::Tensor result = ops::attention(query, key, value, 0.25);
    EXPECT_EQ(result.sizes(), query.sizes());
    EXPECT_LE(relative_l2(result, exact_attention(query, key, value, 0.25)), 1e-6);
    EXPECT_GT(relative_l2(result, exact_attention(query, key, value, 0.5)), 1e-2);
}

TEST_P(AttentionTest, DoesNotDependOnThreads) {
    at::manual_seed(2);
    const at::Tensor query = random(517), key = random(517), value = random(517);
    testing::expect_same_for_all_thread_counts([&] { return ops::attention(query, key, value, 0.25); });
}

INSTANTIATE_TEST_SUITE_P(Heads, AttentionTest, ::testing::Values(2, 3, 5, 6, 12),
                         [](const auto& info) { return std::to_string(info.param); });

TEST(AttentionTypeTest, HalfPrecisionKeepsItsType) {
    at::manual_seed(3);
    for (const at::ScalarType dtype : {at::kBFloat16, at::kHalf}) {
        const at::Tensor query = at::randn({3, 20, 16}).to(dtype), key = at::randn({3, 33, 16}).to(dtype);
        const at::Tensor result = ops::attention(query, key, key, 0.25);
        EXPECT_EQ(result.scalar_type(), dtype);
        EXPECT_LE(relative_l2(result, exact_attention(query, key, key, 0.25)), 5e-3);
    }
}

} // namespace
} // namespace reelmesh
