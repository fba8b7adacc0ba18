// Results whose values stand printed: their mean, length, first and last elements.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

namespace reelmesh::testing {

struct PrintedValues {
    double mean, l2;
    std::vector<double> first, last;
};

inline void expect_printed(const at::Tensor& actual, const PrintedValues& printed) {
    constexpr double kElementBound = 1e-4, kNormBound = 1e-5;
    const at::Tensor values = actual.to(at::kDouble).flatten();
    EXPECT_NEAR(values.mean().item<double>(), printed.mean, kElementBound);
    EXPECT_NEAR(values.norm().item<double>() / printed.l2, 1, kNormBound);
    for (std::size_t i = 0; i < printed.first.size(); ++i)
        EXPECT_NEAR(values[static_cast<std::int64_t>(i)].item<double>(), printed.first[i], kElementBound);
    const std::int64_t start = values.numel() - static_cast<std::int64_t>(printed.last.size());
    for (std::size_t i = 0; i < printed.last.size(); ++i)
        EXPECT_NEAR(values[start + static_cast<std::int64_t>(i)].item<double>(), printed.last[i],
                    kElementBound);
}

} // namespace reelmesh::testing
