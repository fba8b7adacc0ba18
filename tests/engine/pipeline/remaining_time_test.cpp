#include "pipeline/remaining_time.h"

#include <gtest/gtest.h>

#include "vae/video_vae.h"

namespace reelmesh {
namespace {

TEST(RemainingTimeTest, MedianStepTimesWhatIsLeftPlusDecoding) {
    RemainingTime remaining(10, {2.5, 0});
    EXPECT_EQ(remaining.seconds(0), -1);
    remaining.step_took(9); // warms up
    remaining.step_took(1);
    remaining.step_took(1);
    EXPECT_DOUBLE_EQ(remaining.seconds(3), 7 * 1 + 2.5);
}

TEST(RemainingTimeTest, UnmeasuredDecodingIsToldFromItsArithmetic) {
    RemainingTime remaining(4, {0, 3});
    remaining.step_took(2);
    EXPECT_DOUBLE_EQ(remaining.seconds(1), 3 * 2 + 3 * 2);
    EXPECT_DOUBLE_EQ(RemainingTime::decoding(0.25, 1), 3);
    EXPECT_DOUBLE_EQ(RemainingTime::decoding(0, 1), -1);
}

TEST(DecodeCostTest, GrowsWithPixelsAndCountsEachLevelAtItsSize) {
    const ModelCard card = read_model_card(REELMESH_RESOURCES "/sample-model");
    const double once = vae_decode_multiply_adds(card, 1, 16, 16);
    EXPECT_DOUBLE_EQ(vae_decode_multiply_adds(card, 5, 32, 16), 10 * once);
    // conv_out alone: 3 x 12 x 27 products on 8 x 8 x 4 times as many positions.
    EXPECT_GT(once, 3.0 * 12 * 27 * 16 * 16 * 256);
}

} // namespace
} // namespace reelmesh
