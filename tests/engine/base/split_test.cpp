#include "base/split.h"

#include <gtest/gtest.h>

#include <numeric>

namespace reelmesh {
namespace {

using Sizes = std::vector<std::int64_t>;

TEST(SplitTest, TheFirstPartsAreOneLonger) {
    EXPECT_EQ(split(7, 3), (Sizes{3, 2, 2}));
    EXPECT_EQ(split(5, 4), (Sizes{2, 1, 1, 1}));
    EXPECT_EQ(split(2, 4), (Sizes{1, 1, 0, 0}));
}

TEST(SplitTest, WeightsGoByTheLargestRemainderAndTiesToTheLowerIndex) {
    EXPECT_EQ(split(10, std::vector{1.0, 1.0, 1.0}), (Sizes{4, 3, 3}));
    EXPECT_EQ(split(10, std::vector{3.0, 1.0}), (Sizes{8, 2})); // 7.5 and 2.5
    EXPECT_EQ(split(11, std::vector{1.0, 2.0, 3.0}), (Sizes{2, 4, 5}));
    EXPECT_EQ(split(3, std::vector{100.0, 1.0, 1.0}), (Sizes{1, 1, 1})); // nobody is left without
    for (std::int64_t whole = 0; whole < 40; ++whole) {
        const Sizes sizes = split(whole, std::vector{0.3, 2.2, 1.7, 0.9, 1.1});
        EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}), whole);
    }
}

} // namespace
} // namespace reelmesh
