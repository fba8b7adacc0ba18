#include "rules_of.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace reelmesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<Error> faults_of_size(const ModelCard& card, std::int64_t width, std::int64_t height) {
    const FamilyRules rules = family_rules(card);
    JobRequest job;
    job.width = width;
    job.height = height;
    return validate(with_defaults(job, rules), rules);
}

TEST(ValidateTest, SideMustSuitVaeAndPatches) {
    const auto faults = faults_of_size(card_1300m(), 640, 360);
    ASSERT_THAT(offers(faults), ElementsAre("height: 352, 368"));
    EXPECT_EQ(exit_code(faults[0]), 2);
    EXPECT_THAT(error_message(faults[0]),
                testing::AllOf(HasSubstr("360"), HasSubstr("16"), HasSubstr("352, 368")));
    EXPECT_THAT(faults_of_size(card_1300m(), 640, 352), IsEmpty());
    EXPECT_THAT(faults_of_size(card_1300m(), 640, 368), IsEmpty());
    EXPECT_THAT(offers(faults_of_size(card_1300m(), 833, 480)), ElementsAre("width: 832, 848"));
}

TEST(ValidateTest, CoarserModelNamesItsOwnMultiple) {
    const auto faults = faults_of_size(card_5b(), 48, 48);
    EXPECT_THAT(offers(faults), ElementsAre("width: 32, 64", "height: 32, 64"));
    EXPECT_THAT(faults[0].text("needed"), HasSubstr("multiple of 32"));
    EXPECT_THAT(faults_of_size(card_1300m(), 48, 48), IsEmpty());
}

TEST(ValidateTest, SmallestAndLargestSides) {
    for (const std::int64_t side : {-16, 0, 1, 2, 8})
        EXPECT_THAT(offers(faults_of_size(card_1300m(), side, side)), ElementsAre("width: 16", "height: 16"))
            << side;
    EXPECT_THAT(faults_of_size(card_1300m(), 16, 16), IsEmpty());
    EXPECT_THAT(faults_of_size(card_1300m(), 16384, 16), IsEmpty());
    for (const std::int64_t side : {std::int64_t{16400}, std::int64_t{1000000000}, INT64_MAX})
        EXPECT_THAT(offers(faults_of_size(card_1300m(), side, 16)), ElementsAre("width: 16384")) << side;
    EXPECT_THAT(offers(faults_of_size(card_1300m(), INT64_MIN, 16)), ElementsAre("width: 16"));
}

TEST(ValidateTest, FramesAreFourNPlusOne) {
    const FamilyRules rules = family_rules(card_1300m());
    const std::pair<std::int64_t, std::string> rows[] = {
        {INT64_MIN, "1"}, {-1, "1"},   {0, "1"},   {1, ""},        {2, "1, 5"},
        {3, "1, 5"},      {4, "1, 5"}, {5, ""},    {15, "13, 17"}, {33, ""},
        {80, "77, 81"},   {81, ""},    {1001, ""}, {1002, "1001"}, {INT64_MAX, "1001"}};
    for (const auto& [frames, nearest] : rows) {
        JobRequest job = legal_request();
        job.frames = frames;
        const auto faults = validate(job, rules);
        if (nearest.empty())
            EXPECT_THAT(faults, IsEmpty()) << frames;
        else
            EXPECT_THAT(offers(faults), ElementsAre("frames: " + nearest)) << frames;
    }
}

TEST(ValidateTest, NumbersStayInRangeAndFinite) {
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    const std::tuple<std::optional<double> JobRequest::*, double, std::string> rows[] = {
        {&JobRequest::guidance, nan, "guidance: "},
        {&JobRequest::guidance, infinity, "guidance: 30"},
        {&JobRequest::guidance, -0.1, "guidance: 0"},
        {&JobRequest::guidance, 30.1, "guidance: 30"},
        {&JobRequest::guidance, 0.0, ""},
        {&JobRequest::guidance, 30.0, ""},
        {&JobRequest::shift, 0.09, "shift: 0.1"},
        {&JobRequest::shift, -infinity, "shift: 0.1"},
        {&JobRequest::shift, 100.5, "shift: 100"},
        {&JobRequest::shift, 0.1, ""},
        {&JobRequest::guidance2, 3.0, "guidance2: "},
        {&JobRequest::boundary, 0.9, "boundary: "},
    };
    const FamilyRules rules = family_rules(card_1300m());
    for (const auto& [member, value, offer] : rows) {
        JobRequest job = legal_request();
        job.*member = value;
        const auto faults = validate(job, rules);
        if (offer.empty())
            EXPECT_THAT(faults, IsEmpty()) << value;
        else
            EXPECT_THAT(offers(faults), ElementsAre(offer)) << value;
    }
}

TEST(ValidateTest, StepsCrfAndRanksHaveRanges) {
    const FamilyRules rules = family_rules(card_1300m());
    JobRequest job = legal_request();
    job.steps = 0;
    job.ranks = -1;
    job.output.crf = 52;
    EXPECT_THAT(offers(validate(job, rules)), ElementsAre("steps: 1", "ranks: 0", "output.crf: 51"));
    job = legal_request();
    job.steps = 1001;
    EXPECT_THAT(offers(validate(job, rules)), ElementsAre("steps: 1000"));
}

TEST(ValidateTest, SecondExpertFieldsBelongToModelsWithTwo) {
    const FamilyRules rules = family_rules(card_a14b());
    JobRequest job = with_defaults({}, rules);
    EXPECT_THAT(validate(job, rules), IsEmpty());
    job.guidance2 = 31;
    job.boundary = 1.5;
    EXPECT_THAT(offers(validate(job, rules)), ElementsAre("guidance2: 30", "boundary: 1"));
}

TEST(ValidateTest, ChoicesOfferTheNearest) {
    JobRequest job;
    job.sampler = "unipcc";
    job.dtype = "fp8";
    job.preview = "zzz";
    job.output.format = "mp5";
    const auto faults = validate_without_model(job);
    EXPECT_THAT(offers(faults), ElementsAre("sampler: unipc", testing::StartsWith("dtype: fp"),
                                            "preview: ", "output.format: mp4"));
    EXPECT_THAT(faults[2].text("needed"), HasSubstr("off, fast"));
}

TEST(ValidateTest, PromptsAreBoundedUtf8) {
    JobRequest job;
    job.prompt.assign(1 << 20, 'a');
    EXPECT_THAT(validate_without_model(job), IsEmpty());
    job.prompt += 'a';
    ASSERT_EQ(validate_without_model(job).size(), 1u);
    EXPECT_EQ(validate_without_model(job)[0].code, ErrorCode::PromptTooLong);

    const std::pair<std::string, std::string> rows[] = {
        {"\xC3\xA9\xFF", "2"},     {"a\xC0\xAF", "1"},        {"\xED\xA0\x80", "0"}, {"ab\xE4\xBD", "2"},
        {"\xF4\x90\x80\x80", "0"}, {"\xF0\x8F\xBF\xBF", "0"}, {"\x80", "0"},         {"\xE0\x9F\xBF", "0"}};
    for (const auto& [prompt, offset] : rows) {
        job.prompt = prompt;
        const auto faults = validate_without_model(job);
        ASSERT_EQ(faults.size(), 1u) << offset;
        EXPECT_EQ(faults[0].code, ErrorCode::PromptNotUtf8);
        EXPECT_EQ(faults[0].text("offset"), offset);
    }
    job.prompt = std::string("\0 \xF0\x9F\x98\x80 \xEF\xBF\xBF \xF4\x8F\xBF\xBF", 15);
    job.negative_prompt = "";
    EXPECT_THAT(validate_without_model(job), IsEmpty());
}

TEST(ValidateTest, DevicesAreWellFormed) {
    JobRequest job;
    job.devices = {"cpu", "cuda:0", "cuda:", "cuda:-1", "gpu", "cuda:1x"};
    EXPECT_EQ(validate_without_model(job).size(), 4u);
}

TEST(ValidateTest, FrameRatesOutsideTheRangeAreRefused) {
    JobRequest job;
    for (const FrameRate rate : {FrameRate{0, 1}, FrameRate{16, 0}, FrameRate{241, 1}, FrameRate{1, 2}}) {
        job.fps = rate;
        EXPECT_EQ(validate_without_model(job).size(), 1u) << frame_rate_text(rate);
    }
}

TEST(ValidateTest, EveryFaultIsNamedInTableOrder) {
    const FamilyRules rules = family_rules(card_1300m());
    JobRequest job = legal_request();
    job.mesh = "cfg3";
    job.steps = 0;
    job.width = 0;
    job.prompt = "\xFF";
    const auto faults = validate(job, rules);
    ASSERT_EQ(faults.size(), 4u);
    EXPECT_EQ(faults[0].code, ErrorCode::PromptNotUtf8);
    EXPECT_EQ(faults[1].text("field"), "width");
    EXPECT_EQ(faults[2].text("field"), "steps");
    EXPECT_EQ(faults[3].code, ErrorCode::MeshIllegal);
}

} // namespace
} // namespace reelmesh
