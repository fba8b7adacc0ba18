#include "engine/request.h"

#include <gtest/gtest.h>

namespace reelmesh {
namespace {

TEST(FrameRateTest, ReadsExactRationals) {
    const std::tuple<const char*, std::int64_t, std::int64_t> rows[] = {{"16", 16, 1},
                                                                        {"1", 1, 1},
                                                                        {"240", 240, 1},
                                                                        {"23.976", 24000, 1001},
                                                                        {"29.97", 30000, 1001},
                                                                        {"59.94", 60000, 1001},
                                                                        {"12.5", 25, 2},
                                                                        {"24.0", 24, 1},
                                                                        {"24.000000000", 24, 1},
                                                                        {"30000/1001", 30000, 1001},
                                                                        {"24000/1001", 24000, 1001},
                                                                        {"48/2", 24, 1},
                                                                        {"16.25", 65, 4},
                                                                        {"1.000001", 1000001, 1000000}};
    for (const auto& [text, numerator, denominator] : rows) {
        const auto rate = parse_frame_rate(text);
        ASSERT_TRUE(rate) << text;
        EXPECT_EQ(*rate, (FrameRate{numerator, denominator})) << text;
        EXPECT_EQ(*parse_frame_rate(frame_rate_text(*rate)), *rate) << text;
    }
}

TEST(FrameRateTest, RefusesEverythingElse) {
    for (const char* text : {"",
                             " ",
                             "0",
                             "-1",
                             "+16",
                             "nan",
                             "inf",
                             "1e-6",
                             "1e6",
                             "16,5",
                             "0.999",
                             "241",
                             "240.1",
                             "16.",
                             ".5",
                             "16/0",
                             "0/0",
                             "/",
                             "1/",
                             "/1",
                             "16/1/1",
                             "-30000/-1001",
                             "16 ",
                             "0x10",
                             "1/2",
                             "16.1234567",
                             "99999999999999999999",
                             "99999999999999999999/1",
                             "48000002/2000001"}) {
        const auto rate = parse_frame_rate(text);
        ASSERT_FALSE(rate) << text;
        EXPECT_EQ(rate.error().text("field"), "fps");
    }
}

} // namespace
} // namespace reelmesh
