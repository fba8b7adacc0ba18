#include "parallel/ring_attention.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/split.h"
#include "ops/attention.h"
#include "support/checked_mesh.h"

namespace reelmesh {
namespace {

using testing::checked_mesh;

constexpr double kScale = 0.25;

/// [3, tokens, heads, 16]; scores of queries and keys reach about +-reach.
at::Tensor qkv(std::int64_t tokens, std::int64_t heads, double reach) {
    const at::Tensor waves = at::sin(at::arange(3 * tokens * heads * 16, at::kDouble) * 0.73 + 0.2);
    const at::Tensor made = waves.view({3, tokens, heads, 16}).clone();
    made.narrow(0, 0, 2).mul_(std::sqrt(reach / (16 * 0.5 * kScale)));
    return made.to(at::kFloat);
}

/// In float64: [tokens, heads, 16] of the exact softmax.
at::Tensor exact_attention(const at::Tensor& qkv) {
    const at::Tensor q = qkv[0].to(at::kDouble).transpose(0, 1), k = qkv[1].to(at::kDouble).transpose(0, 1),
                     v = qkv[2].to(at::kDouble).transpose(0, 1);
    return at::matmul(at::softmax(at::matmul(q, k.transpose(1, 2)) * kScale, -1), v).transpose(0, 1);
}

double error_of(const at::Tensor& got, const at::Tensor& exact) {
    return ((got.to(at::kDouble) - exact).norm() / exact.norm()).item<double>();
}

TEST(RingAttentionTest, ErrsAtMostTwiceAsMuchAsOneRankWithScoresUpToEighty) {
    for (const double reach : {1.0, 20.0, 80.0})
        for (const int ranks : {2, 3, 4, 8})
            for (const std::int64_t tokens : {8, 19, 35, 130}) {
                const at::Tensor whole = qkv(tokens, 3, reach), exact = exact_attention(whole);
                const at::Tensor plain = ops::attention(whole[0].transpose(0, 1), whole[1].transpose(0, 1),
                                                        whole[2].transpose(0, 1), kScale)
                                             .transpose(0, 1);
                at::Tensor result = at::empty({tokens, 3, 16});
                MeshRunner mesh(checked_mesh("ring" + std::to_string(ranks)));
                mesh.run([&](RankContext& context) {
                    const SequenceSplit split(tokens, context);
                    RingAttention ring(split);
                    const auto own = [&](const at::Tensor& tensor, std::int64_t dim) {
                        return tensor.narrow(dim, split.first(), split.count());
                    };
                    for (int repeat = 0; repeat < 2; ++repeat) // buffers serve again
                        own(result, 0).copy_(
                            ring.attend(own(whole, 1).contiguous(), kScale, repeat, context));
                });
                EXPECT_LE(error_of(result, exact), 2 * error_of(plain, exact) + 1e-6)
                    << reach << " " << ranks << " " << tokens;
            }
}

} // namespace
} // namespace reelmesh
