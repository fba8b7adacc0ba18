#include "rules_of.h"

#include <gmock/gmock.h>

namespace reelmesh {
namespace {

TEST(FamilyDefaultsTest, RowsFollowTheSizes) {
    EXPECT_EQ(family_rules(card_1300m()).preset, "wan2.1-t2v-1.3b");
    EXPECT_EQ(family_rules(card_14b()).preset, "wan2.1-t2v-14b");
    EXPECT_EQ(family_rules(card_a14b()).preset, "wan2.2-t2v-a14b");
    EXPECT_EQ(family_rules(card_5b()).preset, "wan2.2-ti2v-5b");
    EXPECT_EQ(family_rules(card_sample()).preset, "sample");
}

TEST(FamilyDefaultsTest, EveryDefaultIsLegal) {
    ModelCard small_5b = card_5b(), small_a14b = card_a14b();
    small_5b.transformer.num_attention_heads = small_a14b.transformer.num_attention_heads = 2;
    for (const ModelCard& card :
         {card_1300m(), card_14b(), card_a14b(), card_5b(), card_sample(), small_5b, small_a14b}) {
        const FamilyRules rules = family_rules(card);
        const JobRequest job = with_defaults({}, rules);
        EXPECT_THAT(validate(job, rules), testing::IsEmpty()) << rules.preset;
        EXPECT_FALSE(job.seed.has_value());
        EXPECT_EQ(job.guidance2.has_value(), rules.two_experts);
        EXPECT_EQ(job.boundary.has_value(), rules.two_experts);
    }
}

TEST(FamilyDefaultsTest, SampleRow) {
    const FamilyRules rules = family_rules(card_sample());
    const JobRequest job = with_defaults({}, rules);
    EXPECT_EQ(*job.width, 128);
    EXPECT_EQ(*job.height, 128);
    EXPECT_EQ(*job.frames, 17);
    EXPECT_EQ(*job.steps, 16);
    EXPECT_EQ(*job.guidance, 5.0);
    EXPECT_EQ(*job.shift, 3.0);
    EXPECT_EQ(*job.fps, (FrameRate{16, 1}));
    EXPECT_EQ(*job.sampler, "unipc");
    EXPECT_EQ(*job.negative_prompt, "");
}

TEST(FamilyDefaultsTest, StridesAndLimitsFollowTheSizes) {
    const FamilyRules coarse = family_rules(card_5b());
    EXPECT_EQ(coarse.side_multiple, 32);
    EXPECT_EQ(coarse.minimum_side, 32);
    EXPECT_EQ(coarse.maximum_side, 32768);
    ModelCard card = card_1300m();
    card.transformer.rope_max_seq_len = 64;
    const FamilyRules rules = family_rules(card);
    EXPECT_EQ(rules.side_multiple, 16);
    EXPECT_EQ(rules.maximum_side, 1024);
    EXPECT_EQ(rules.frame_stride, 4);
    EXPECT_EQ(rules.maximum_frames, 253);
}

TEST(FamilyDefaultsTest, TheFolderNamesTheShift) {
    ModelCard card = card_14b();
    EXPECT_EQ(*family_rules(card).defaults.shift, 5.0);
    card.scheduler.flow_shift = 7.5;
    EXPECT_EQ(*family_rules(card).defaults.shift, 7.5);
}

TEST(FamilyDefaultsTest, TypedGuidanceHoldsForBothExperts) {
    const FamilyRules rules = family_rules(card_a14b());
    EXPECT_EQ(*with_defaults({}, rules).guidance, 4.0);
    EXPECT_EQ(*with_defaults({}, rules).guidance2, 3.0);
    JobRequest job;
    job.guidance = 7.5;
    EXPECT_EQ(*with_defaults(job, rules).guidance2, 7.5);
    job.guidance2 = 2;
    EXPECT_EQ(*with_defaults(job, rules).guidance2, 2);
    EXPECT_EQ(*with_defaults(job, rules).guidance, 7.5);
}

} // namespace
} // namespace reelmesh
