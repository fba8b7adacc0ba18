#include <gtest/gtest.h>

#include <cstdlib>

#include "engine/output_name.h"

namespace reelmesh {
namespace {

JobRequest kite() {
    JobRequest request;
    request.prompt = "a red kite, very high";
    request.model = "/models/Wan2.1-T2V-1.3B/";
    request.width = 832;
    request.height = 480;
    request.frames = 81;
    request.steps = 40;
    request.guidance = 5.5;
    request.seed = 18446744073709551615ULL;
    return request;
}

std::string name(const std::string& pattern, const JobRequest& request = kite()) {
    ::setenv("TZ", "UTC", 1);
    ::tzset();
    NameFacts facts;
    facts.time = 86400 + 3661; // 1970-01-02 01:01:01
    facts.count = 3;
    const Result<std::string> name = output_name(pattern, request, facts);
    return name ? *name : error_message(name.error());
}

TEST(OutputNameTest, EveryPartIsFilledIn) {
    EXPECT_EQ(name("{date}"), "19700102-010101");
    EXPECT_EQ(name("{date:yyyy-MM-dd}"), "1970-01-02");
    EXPECT_EQ(name("{seed}"), "18446744073709551615");
    EXPECT_EQ(name("{prompt:9}x"), "a red kix");
    EXPECT_EQ(name("{model}"), "Wan2.1-T2V-1.3B");
    EXPECT_EQ(name("{size} {frames} {steps} {cfg} {plan} {count}"), "832x480 81 40 5.5 auto 3");
    EXPECT_EQ(name("plain"), "plain");
    EXPECT_EQ(name(kDefaultNamePattern), "19700102-010101_18446744073709551615_a red kite, very high");
}

TEST(OutputNameTest, IsAlwaysALegalName) {
    EXPECT_EQ(name("../{prompt}/x").find('/'), std::string::npos);
    EXPECT_EQ(name(""), "clip");
    EXPECT_EQ(name("CON"), "_CON");
    JobRequest request = kite();
    request.prompt = std::string(5000, 'w');
    EXPECT_LE(name("{prompt}", request).size(), 200U);
}

TEST(OutputNameTest, MistakesNameWhatWouldBeRight) {
    for (const char* pattern : {"{sed}", "{seed", "{prompt:x}", "{prompt:0}", "{}"}) {
        const Result<std::string> made = output_name(pattern, kite(), {});
        ASSERT_FALSE(made) << pattern;
        EXPECT_EQ(made.error().code, ErrorCode::BadField) << pattern;
    }
    EXPECT_NE(name("{sed}").find("seed"), std::string::npos);
}

} // namespace
} // namespace reelmesh
