#include "pipeline/planner.h"

#include <gtest/gtest.h>

#include "base/check.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

class PlannerTest : public ::testing::Test {
protected:
    PlannerTest() : card_(read_model_card(REELMESH_RESOURCES "/sample-model")), rules_(family_rules(card_)) {
        hardware_.cores = 2;
        hardware_.available_bytes = 16 * kGiB;
        hardware_.process_bytes = kGiB / 8;
        hardware_.devices.push_back({"cpu", "a processor", 16 * kGiB, 16 * kGiB, true});
    }
    PlanSet plans(const JobRequest& request) const {
        return make_plans({card_, rules_, with_defaults(request, rules_), hardware_});
    }

    ModelCard card_;
    FamilyRules rules_;
    HardwareSnapshot hardware_;
};

TEST_F(PlannerTest, OffersEveryMeshOfThisBuildOneRankFirst) {
    const PlanSet set = plans({});
    ASSERT_EQ(set.plans.size(), 2U);
    EXPECT_EQ(set.plans[0].mesh, "single");
    EXPECT_EQ(set.plans[0].forwards_per_step, 2);
    EXPECT_EQ(set.plans[0].bytes_per_step, 0U);
    EXPECT_EQ(set.plans[1].mesh, "cfg2");
    EXPECT_EQ(set.plans[1].forwards_per_step, 1);
    EXPECT_EQ(set.plans[1].bytes_per_step, 16U * 5 * 16 * 16 * 4); // the velocity of one branch
    EXPECT_EQ(set.tokens, 5 * 8 * 8);
    EXPECT_EQ(set.dtype, "fp32"); // too narrow to gain by bf16
}

TEST_F(PlannerTest, GuidanceOffRefusesTwoBranchesAndSaysWhatWorks) {
    JobRequest request;
    request.guidance = 1.0;
    const PlanSet set = plans(request);
    EXPECT_FALSE(set.plans[0].refusal);
    EXPECT_EQ(set.plans[0].forwards_per_step, 1);
    ASSERT_TRUE(set.plans[1].refusal);
    EXPECT_EQ(set.plans[1].refusal->code, ErrorCode::MeshIllegal);
    EXPECT_EQ(set.plans[1].refusal->text("nearest"), "single");
}

TEST_F(PlannerTest, MoreRanksThanCoresAreRefused) {
    hardware_.cores = 1;
    JobRequest request;
    request.mesh = "cfg2";
    const PlanSet set = plans(request);
    ASSERT_EQ(set.plans.size(), 1U);
    ASSERT_TRUE(set.plans[0].refusal);
    EXPECT_EQ(set.plans[0].refusal->code, ErrorCode::MeshTooLarge);
    EXPECT_EQ(exit_code(*set.plans[0].refusal), 3);
    EXPECT_THROW(chosen_plan(set), EngineException);
}

TEST_F(PlannerTest, AbsentDeviceIsRefusedAndNeverReplaced) {
    JobRequest request;
    request.devices = {"cuda:0"};
    const PlanSet set = plans(request);
    ASSERT_TRUE(set.plans[0].refusal);
    EXPECT_EQ(set.plans[0].refusal->text("found"), "cuda:0");
    EXPECT_EQ(set.plans[0].refusal->text("nearest"), "cpu");
    request.devices = {"cpu"};
    EXPECT_FALSE(plans(request).plans[0].refusal);
}

TEST_F(PlannerTest, MemoryGrowsWithTheJobAndRefusesWhatDoesNotFit) {
    JobRequest small, large;
    small.width = small.height = 64;
    large.width = large.height = 1024;
    const std::uint64_t small_peak = plans(small).plans[0].memory.peak();
    const std::uint64_t large_peak = plans(large).plans[0].memory.peak();
    EXPECT_GT(large_peak, small_peak);
    EXPECT_GE(small_peak, hardware_.process_bytes + plans(small).plans[0].memory.weights);
    hardware_.available_bytes = large_peak - hardware_.process_bytes - 1;
    ASSERT_TRUE(plans(large).plans[0].refusal);
    EXPECT_EQ(plans(large).plans[0].refusal->code, ErrorCode::MemoryTooSmall);
    EXPECT_FALSE(plans(small).plans[0].refusal);
}

} // namespace
} // namespace reelmesh
