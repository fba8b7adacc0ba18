#include "models/token_layout.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace reelmesh {
namespace {

TEST(TokenLayoutTest, FeaturesAreChannelFirstAndTokensRowMajor) {
    const at::Tensor latents = at::arange(2 * 4 * 4 * 6, at::kFloat).view({2, 4, 4, 6});
    const at::Tensor tokens = to_tokens(latents, {2, 2, 2});
    ASSERT_EQ(tokens.sizes(), (std::vector<std::int64_t>{2 * 2 * 3, 2 * 8}));
    // Token (frame 1, row 0, column 2), feature (channel 1, frame 1, row 0, column 1).
    EXPECT_EQ(tokens.index({8, 13}).item<float>(), latents.index({1, 3, 0, 5}).item<float>());
    EXPECT_TRUE(tokens.is_contiguous());
}

TEST(TokenLayoutTest, RestoresLatents) {
    at::manual_seed(1);
    for (const std::array<std::int64_t, 3>& patch :
         {std::array<std::int64_t, 3>{1, 2, 2}, {1, 1, 1}, {3, 2, 4}}) {
        const at::Tensor latents = at::randn({5, 3, 6, 8});
        const at::Tensor restored = from_tokens(to_tokens(latents, patch), {5, 3, 6, 8}, patch);
        EXPECT_TRUE(restored.equal(latents));
        EXPECT_TRUE(restored.is_contiguous());
    }
}

} // namespace
} // namespace reelmesh
