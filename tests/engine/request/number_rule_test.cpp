#include "rules_of.h"

#include "request/mesh_rules.h"
#include "request/model_presets.h"

#include <gmock/gmock.h>

#include <cmath>

namespace reelmesh {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

NumberRule rule_of(std::string_view key, const ModelCard& card) {
    return number_rule(key, family_rules(card)).value();
}

TEST(NumberRuleTest, FramesStepOverLegalCounts) {
    const NumberRule rule = rule_of("frames", card_1300m());
    EXPECT_TRUE(rule.holds(1));
    EXPECT_TRUE(rule.holds(81));
    EXPECT_FALSE(rule.holds(80));
    EXPECT_THAT(rule.nearest(80), ElementsAre(77, 81));
    EXPECT_THAT(rule.nearest(79), ElementsAre(77, 81));
    EXPECT_THAT(rule.nearest(-3), ElementsAre(1));
    EXPECT_THAT(rule.nearest(5000), ElementsAre(1001));
    EXPECT_THAT(rule.nearest(std::nan("")), IsEmpty());
    EXPECT_EQ(rule.stepped(81, 1), 85);
    EXPECT_EQ(rule.stepped(80, 1), 81);
    EXPECT_EQ(rule.stepped(80, -1), 77);
    EXPECT_EQ(rule.stepped(1, -1), 1);
    EXPECT_EQ(rule.stepped(1001, 10), 1001);
}

TEST(NumberRuleTest, SidesFollowTheFamily) {
    EXPECT_THAT(rule_of("width", card_1300m()).nearest(833), ElementsAre(832, 848));
    EXPECT_THAT(rule_of("height", card_5b()).nearest(700), ElementsAre(672, 704));
    EXPECT_EQ(rule_of("height", card_5b()).stepped(704, -1), 672);
}

TEST(NumberRuleTest, ArrowsOfFractionsEndOnDecimals) {
    const NumberRule rule = rule_of("guidance", card_1300m());
    double value = 0;
    for (int tenth = 1; tenth <= 50; ++tenth) {
        value = rule.stepped(value, 1);
        EXPECT_EQ(value, tenth / 10.0);
    }
    EXPECT_TRUE(rule.holds(4.25));
    EXPECT_EQ(rule.stepped(4.25, 1), 4.3);
    EXPECT_EQ(rule.stepped(4.25, -1), 4.2);
    EXPECT_EQ(rule_of("shift", card_1300m()).stepped(0.1, -1), 0.1);
    EXPECT_EQ(rule_of("boundary", card_a14b()).stepped(0.875, 1), 0.88);
}

TEST(NumberRuleTest, SecondExpertHasNumbersOnlyWhereThereAreTwo) {
    EXPECT_FALSE(number_rule("boundary", family_rules(card_1300m())));
    EXPECT_FALSE(number_rule("guidance2", family_rules(card_1300m())));
    EXPECT_FALSE(number_rule("prompt", family_rules(card_1300m())));
}

/// Window and job file agree: what a rule holds is what passes, and what it offers is what is offered.
TEST(NumberRuleTest, AgreesWithTheCheckOfRequests) {
    for (const ModelCard& card : {card_1300m(), card_5b(), card_a14b(), card_sample()}) {
        const FamilyRules rules = family_rules(card);
        for (std::int64_t value = -40; value < 200; ++value) {
            JobRequest job = with_defaults({}, rules);
            job.width = job.frames = value;
            const auto faults = validate(job, rules);
            for (const char* key : {"width", "frames"}) {
                const bool refused = std::any_of(faults.begin(), faults.end(), [&](const Error& fault) {
                    return fault.text("field") == key;
                });
                EXPECT_EQ(refused, !number_rule(key, rules)->holds(static_cast<double>(value)))
                    << key << " " << value;
            }
        }
    }
}

TEST(FamilySizesTest, EveryListedSizeIsLegalAndTheDefaultIsListed) {
    for (const std::string& name : model_preset_names()) {
        const FamilyRules rules = model_preset(name).rules;
        ASSERT_FALSE(rules.sizes.empty()) << name;
        bool has_default = false;
        for (const TrainedSize& size : rules.sizes) {
            JobRequest job;
            job.width = size.width;
            job.height = size.height;
            EXPECT_THAT(validate(with_defaults(job, rules), rules), IsEmpty()) << name << " " << size.width;
            has_default =
                has_default || (size.width == rules.defaults.width && size.height == rules.defaults.height);
        }
        EXPECT_TRUE(has_default) << name;
    }
}

/// What the outcome line shows for the published sizes.
TEST(OutcomeNumbersTest, TokensAndDurations) {
    const std::tuple<const char*, std::int64_t, std::int64_t, std::int64_t, std::int64_t, double> rows[] = {
        {"wan2.1-t2v-14b", 832, 480, 81, 32760, 5.0625},
        {"wan2.1-t2v-14b", 1280, 720, 81, 75600, 5.0625},
        {"wan2.2-ti2v-5b", 1280, 704, 121, 27280, 5.0417}};
    for (const auto& [name, width, height, frames, tokens, seconds] : rows) {
        const FamilyRules rules = model_preset(name).rules;
        JobRequest job;
        job.width = width;
        job.height = height;
        job.frames = frames;
        job = with_defaults(job, rules);
        EXPECT_EQ(mesh_limits(job, rules).tokens, tokens);
        EXPECT_NEAR(static_cast<double>(*job.frames) / job.fps->value(), seconds, 1e-4);
    }
}

TEST(ExpectedOutputTest, GrowsWithPixelsAndQuality) {
    JobRequest job = with_defaults({}, model_preset("wan2.1-t2v-1.3b").rules);
    EXPECT_NEAR(static_cast<double>(expected_output_bytes(job)), 6e6, 0.3e6);
    job.output.crf = 13;
    EXPECT_NEAR(static_cast<double>(expected_output_bytes(job)), 12e6, 0.5e6);
    job.output.format = "png";
    EXPECT_EQ(expected_output_bytes(job), 832u * 480 * 81 * 3);
}

} // namespace
} // namespace reelmesh
