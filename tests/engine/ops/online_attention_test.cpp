#include "ops/online_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "ops/attention.h"

namespace reelmesh {
namespace {

constexpr double kScale = 0.25;

/// [tokens, heads, 16]; scores of two of these reach about +-reach.
at::Tensor rows(std::int64_t tokens, double reach, double start) {
    const at::Tensor waves = at::sin(at::arange(tokens * 3 * 16, at::kDouble) * 0.73 + start);
    return (waves.view({tokens, 3, 16}) * std::sqrt(reach / (16 * 0.5 * kScale))).to(at::kFloat);
}

at::Tensor exact_attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value) {
    const auto by_head = [](const at::Tensor& tensor) { return tensor.to(at::kDouble).transpose(0, 1); };
    const at::Tensor scores = at::matmul(by_head(query), by_head(key).transpose(1, 2)) * kScale;
    return at::matmul(at::softmax(scores, -1), by_head(value)).transpose(0, 1);
}

double error_of(const at::Tensor& got, const at::Tensor& exact) {
    return ((got.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
}

class OnlineAttentionTest : public ::testing::TestWithParam<double> {};

TEST_P(OnlineAttentionTest, AnyBlocksErrAtMostTwiceAsMuchAsTheWhole) {
    for (const std::int64_t tokens : {1, 40, 1300}) {
        const at::Tensor query = rows(tokens, GetParam(), 0.2), key = rows(tokens, GetParam(), 1.2),
                         value = rows(tokens, 1, 2.2);
        const at::Tensor exact = exact_attention(query, key, value);
        const double whole =
            error_of(ops::attention(query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), kScale)
                         .transpose(0, 1),
                     exact);
        for (const std::int64_t block : {1, 7, 700}) {
            if (tokens / block > 100) continue;
            ops::OnlineAttention attention(query, kScale);
            for (std::int64_t first = 0; first < tokens; first += block) {
                const std::int64_t count = std::min(block, tokens - first);
                attention.add(key.narrow(0, first, count), value.narrow(0, first, count));
            }
            EXPECT_LE(error_of(attention.result(), exact), 2 * whole + 1e-6) << tokens << " by " << block;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Scores, OnlineAttentionTest, ::testing::Values(1.0, 20.0, 80.0));

TEST(OnlineAttentionPartialTest, MergesResultsOfOtherKernels) {
    const at::Tensor query = rows(40, 20, 0.2), key = rows(40, 20, 1.2), value = rows(40, 1, 2.2);
    ops::OnlineAttention attention(query, kScale);
    for (const auto& [first, count] : {std::pair{0, 7}, std::pair{7, 30}, std::pair{37, 3}}) {
        const auto [output, sums] =
            ops::attention_with_sums(query.transpose(0, 1), key.narrow(0, first, count).transpose(0, 1),
                                     value.narrow(0, first, count).transpose(0, 1), kScale);
        attention.add_partial(output.transpose(0, 1), sums);
    }
    EXPECT_LE(error_of(attention.result(), exact_attention(query, key, value)), 3e-6);
}

TEST(OnlineAttentionPartialTest, BlocksThatARowDidNotSeeAreSkipped) {
    const auto nothing = at::full({1, 1}, -std::numeric_limits<double>::infinity(), at::kFloat);
    const auto output = [](double value) { return at::full({1, 1, 4}, value, at::kFloat); };
    const at::Tensor sums = at::full({1, 1}, 0.5, at::kFloat), query = at::zeros({1, 1, 4});
    ops::OnlineAttention behind(query, 1), before(query, 1), never(query, 1);
    behind.add_partial(output(3), sums);
    behind.add_partial(output(100), nothing);
    before.add_partial(output(100), nothing);
    before.add_partial(output(3), sums);
    never.add_partial(output(100), nothing);
    EXPECT_TRUE(behind.result().eq(3).all().item<bool>());
    EXPECT_TRUE(before.result().eq(3).all().item<bool>());
    EXPECT_TRUE(never.result().eq(0).all().item<bool>());
}

TEST(OnlineAttentionPartialTest, HalvedTypesAreRoundedOnceAtTheEnd) {
    const at::Tensor query = rows(40, 20, 0.2).to(at::kBFloat16), key = rows(40, 20, 1.2).to(at::kBFloat16),
                     value = rows(40, 1, 2.2).to(at::kBFloat16);
    const at::Tensor exact = exact_attention(query, key, value);
    const double whole =
        error_of(ops::attention(query.transpose(0, 1), key.transpose(0, 1), value.transpose(0, 1), kScale)
                     .transpose(0, 1),
                 exact);
    ops::OnlineAttention attention(query, kScale);
    attention.add(key.narrow(0, 0, 23), value.narrow(0, 0, 23));
    attention.add(key.narrow(0, 23, 17), value.narrow(0, 23, 17));
    EXPECT_EQ(attention.result().scalar_type(), at::kBFloat16);
    EXPECT_LE(error_of(attention.result(), exact), 2 * whole);
}

} // namespace
} // namespace reelmesh
