// The model that ships: found by itself, right to look at as far as colours can tell.
#include <gtest/gtest.h>

#include "support/engine_fixture.h"

namespace reelmesh::testing {
namespace {

using SampleModelTest = EngineFixture;

struct Rgb {
    double r = 0, g = 0, b = 0;
};

/// Mean colour of a rectangle in parts of the frame.
Rgb mean_colour(const Frame& frame, double x0, double y0, double x1, double y1) {
    Rgb sum;
    int count = 0;
    for (int y = static_cast<int>(y0 * frame.height); y < static_cast<int>(y1 * frame.height); ++y)
        for (int x = static_cast<int>(x0 * frame.width); x < static_cast<int>(x1 * frame.width);
             ++x, ++count) {
            const std::uint8_t* pixel = frame.row(y) + 3 * x;
            sum.r += pixel[0];
            sum.g += pixel[1];
            sum.b += pixel[2];
        }
    return {sum.r / count, sum.g / count, sum.b / count};
}

/// Horizontal centre of what is redder than it is blue.
double red_centre(const Frame& frame) {
    double weight = 0, sum = 0;
    for (int y = 0; y < frame.height; ++y)
        for (int x = 0; x < frame.width; ++x) {
            const std::uint8_t* pixel = frame.row(y) + 3 * x;
            const double red = std::max(0, pixel[0] - pixel[2]);
            weight += red;
            sum += red * x;
        }
    return weight > 0 ? sum / weight : -1;
}

TEST_F(SampleModelTest, RedBallMovesLeftOnBlue) {
    JobRequest request;
    request.prompt = "a red ball moving left on a blue background";
    request.seed = 3;
    const JobOutcome outcome = run(request);
    ASSERT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
    ASSERT_EQ(outcome.frames.size(), 17U);
    const Frame& first = outcome.frames.front();
    EXPECT_EQ(first.width, 128);
    EXPECT_EQ(first.height, 128);
    const Rgb corner = mean_colour(first, 0, 0, 0.15, 0.15);
    EXPECT_GT(corner.b, corner.r + 30);
    EXPECT_GT(red_centre(first), red_centre(outcome.frames.back()) + 5);
}

} // namespace
} // namespace reelmesh::testing
