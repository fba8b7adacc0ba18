#include "sampling/guidance.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

namespace reelmesh {
namespace {

TEST(GuidanceTest, GoesFromTheUnconditionalPastTheConditional) {
    const at::Tensor conditional = at::tensor({1.0F, 2.0F, -3.0F}),
                     unconditional = at::tensor({0.5F, 2.0F, 1.0F});
    EXPECT_TRUE(at::equal(guide(conditional, unconditional, 5), at::tensor({3.0F, 2.0F, -19.0F})));
    EXPECT_TRUE(at::equal(guide(conditional, unconditional, 0), unconditional));
}

TEST(GuidanceTest, IsFloat32WhateverTheModel) {
    const at::Tensor conditional = at::tensor({1.0078125F}), unconditional = at::tensor({1.0F});
    const at::Tensor guided = guide(conditional.to(at::kBFloat16), unconditional.to(at::kBFloat16), 5.1);
    EXPECT_EQ(guided.scalar_type(), at::kFloat);
    EXPECT_FLOAT_EQ(guided.item<float>(), 1.0F + 5.1F * 0.0078125F); // bfloat16 would round it to 1.0390625
    EXPECT_TRUE(at::equal(guided, guide(conditional, unconditional, 5.1)));
}

} // namespace
} // namespace reelmesh
