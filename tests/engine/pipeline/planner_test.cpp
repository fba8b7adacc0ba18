#include "pipeline/planner.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/check.h"
#include "device/hardware_presets.h"
#include "request/mesh_rules.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

/// The sample model (8 heads, 4 + 2 axes to choose from) on a processor.
class PlannerTest : public ::testing::Test {
protected:
    PlannerTest() : card_(read_model_card(REELMESH_RESOURCES "/sample-model")), rules_(family_rules(card_)) {
        hardware_.cores = 2;
        hardware_.available_bytes = 16 * kGiB;
        hardware_.process_bytes = kGiB / 8;
        hardware_.devices.push_back(
            {"cpu", "a processor", 16 * kGiB, 16 * kGiB, true, assumed_cpu_rates(hardware_.cores)});
        hardware_.links.push_back(memory_link());
    }
    PlanSet plans(const JobRequest& request) const {
        return make_plans({card_, rules_, with_defaults(request, rules_), hardware_});
    }
    Plan plan_on(const std::string& mesh) const {
        JobRequest request;
        request.mesh = mesh;
        const PlanSet set = plans(request);
        EXPECT_EQ(set.plans.size(), 1u);
        return set.plans.front();
    }

    ModelCard card_;
    FamilyRules rules_;
    HardwareSnapshot hardware_;
};

const AxisCost* axis_of(const Plan& plan, const std::string& name) {
    const auto found = std::find_if(plan.axes.begin(), plan.axes.end(),
                                    [&](const AxisCost& axis) { return axis.axis == name; });
    return found == plan.axes.end() ? nullptr : &*found;
}

TEST_F(PlannerTest, OneRankComesFirstWhereRanksShareCores) {
    const PlanSet set = plans({});
    EXPECT_EQ(set.plans[0].mesh, "single");
    EXPECT_EQ(set.plans[0].forwards_per_step, 2);
    EXPECT_EQ(set.plans[0].bytes_per_step, 0u);
    EXPECT_TRUE(set.plans[0].axes.empty());
    EXPECT_EQ(set.tokens, 5 * 8 * 8);
    EXPECT_EQ(set.dtype, "fp32"); // too narrow to gain by bf16
    for (const double guidance : {1.0, 5.0}) {
        for (const int cores : {1, 3, 16}) {
            hardware_.cores = cores;
            hardware_.devices.front().rates = assumed_cpu_rates(cores);
            JobRequest request;
            request.guidance = guidance;
            EXPECT_EQ(plans(request).plans[0].mesh, "single") << cores;
        }
    }
}

TEST_F(PlannerTest, EveryLegalMeshIsThereAndEveryRefusedOneSaysWhy) {
    const PlanSet set = plans({});
    const MeshLimits limits = mesh_limits(with_defaults({}, rules_), rules_);
    std::size_t legal = 0;
    for (int ranks = 1; ranks <= 8; ++ranks)
        legal += legal_meshes(limits, ranks).size();
    const auto first_refused = std::find_if(set.plans.begin(), set.plans.end(),
                                            [](const Plan& plan) { return plan.refusal.has_value(); });
    EXPECT_EQ(static_cast<std::size_t>(first_refused - set.plans.begin()), legal);
    for (auto plan = first_refused; plan != set.plans.end(); ++plan) {
        ASSERT_TRUE(plan->refusal);
        EXPECT_NE(plan->refusal->text("nearest"), "") << plan->mesh;
        EXPECT_EQ(exit_code(*plan->refusal), 2);
    }
    std::vector<std::string> names;
    for (const Plan& plan : set.plans)
        names.push_back(plan.mesh);
    std::sort(names.begin(), names.end());
    EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

TEST_F(PlannerTest, GuidanceOnTwoRanksSendsOneVelocityAStep) {
    const Plan plan = plan_on("cfg2");
    EXPECT_EQ(plan.forwards_per_step, 1);
    ASSERT_NE(axis_of(plan, "cfg"), nullptr);
    EXPECT_EQ(axis_of(plan, "cfg")->bytes_per_step, 16u * 5 * 16 * 16 * 4);
    EXPECT_EQ(axis_of(plan, "cfg")->total_bytes, 2u * 16 * 16 * 5 * 16 * 16 * 4); // ranks, steps
    EXPECT_EQ(plan.bytes_per_step, 16u * 5 * 16 * 16 * 4);
    ASSERT_NE(axis_of(plan, "vae"), nullptr);
}

TEST_F(PlannerTest, SharesFollowTheSplitOfTokensAndHeads) {
    const Plan plan = plan_on("cfg2,ulysses3");
    ASSERT_EQ(plan.shares.size(), 6u);
    std::int64_t tokens = 0, heads = 0;
    for (int rank = 0; rank < 3; ++rank) {
        tokens += plan.shares[static_cast<std::size_t>(rank)].tokens;
        heads += plan.shares[static_cast<std::size_t>(rank)].heads;
    }
    EXPECT_EQ(tokens, 320);
    EXPECT_EQ(heads, rules_.heads);
    EXPECT_TRUE(plan.uneven);
    EXPECT_THAT(plan.warnings, testing::Contains("uneven heads: 8 over 3"));
    EXPECT_THAT(plan.warnings, testing::Contains("6 ranks share 2 cores"));
    EXPECT_TRUE(plan.exact);
    EXPECT_TRUE(plan.weights.empty());
}

TEST_F(PlannerTest, ANumberOfRanksGetsTheBestMeshOfThatNumber) {
    for (const int ranks : {2, 3, 4, 5, 6, 7, 8}) {
        JobRequest request;
        request.ranks = ranks;
        const PlanSet set = plans(request);
        EXPECT_FALSE(set.plans.front().refusal) << ranks;
        for (const Plan& plan : set.plans)
            EXPECT_EQ(plan.ranks, ranks);
    }
    JobRequest request;
    request.ranks = 2;
    EXPECT_EQ(plans(request).plans.front().mesh, "cfg2");
    request.guidance = 1; // as many bytes as ulysses2, and the first by name
    EXPECT_EQ(plans(request).plans.front().mesh, "ring2");
}

TEST_F(PlannerTest, GuidanceOffRefusesTwoBranchesAndOffersTheSameRanks) {
    JobRequest request;
    for (const double guidance : {0.0, 0.999, 1.0}) {
        request.guidance = guidance;
        for (const Plan& plan : plans(request).plans)
            if (!plan.refusal) {
                EXPECT_EQ(plan.mesh.find("cfg"), std::string::npos);
                EXPECT_EQ(plan.forwards_per_step, 1);
            }
        request.mesh = "cfg2,ulysses2";
        const PlanSet refused = plans(request);
        ASSERT_TRUE(refused.plans[0].refusal);
        EXPECT_EQ(refused.plans[0].refusal->code, ErrorCode::MeshIllegal);
        EXPECT_EQ(exit_code(*refused.plans[0].refusal), 2);
        EXPECT_THAT(refused.plans[0].refusal->text("nearest"), testing::StartsWith("ulysses4, "));
        request.mesh = "auto";
    }
    request.guidance = 1.0001;
    request.mesh = "cfg2,ulysses2";
    EXPECT_FALSE(plans(request).plans[0].refusal);
}

TEST_F(PlannerTest, EightRanksFitOnAnyProcessorAndMoreOnlyOnAsManyCores) {
    hardware_.cores = 1;
    EXPECT_FALSE(plan_on("ulysses8").refusal);
    const Plan too_many = plan_on("cfg2,ulysses4,ring2");
    ASSERT_TRUE(too_many.refusal);
    EXPECT_EQ(too_many.refusal->code, ErrorCode::MeshTooLarge);
    EXPECT_EQ(exit_code(*too_many.refusal), 3);
    hardware_.cores = 16;
    EXPECT_FALSE(plan_on("cfg2,ulysses4,ring2").refusal);
    JobRequest request;
    request.ranks = 17;
    EXPECT_THROW(chosen_plan(plans(request)), EngineException);
    EXPECT_EQ(plans(request).plans[0].refusal->code, ErrorCode::MeshTooLarge);
}

TEST_F(PlannerTest, StagesArePricedThoughNotInThisBuild) {
    const Plan plan = plan_on("pipe2");
    ASSERT_TRUE(plan.refusal);
    EXPECT_EQ(plan.refusal->code, ErrorCode::MeshNotInBuild);
    EXPECT_EQ(exit_code(*plan.refusal), 2);
    EXPECT_FALSE(plan.exact);
    EXPECT_GT(plan.step_seconds, 0);
    ASSERT_NE(axis_of(plan, "pipe"), nullptr);
    EXPECT_GT(axis_of(plan, "pipe")->total_bytes, 0u);
}

TEST_F(PlannerTest, ReplicasCostNeitherBytesNorTime) {
    const Plan one = plan_on("cfg2"), two = plan_on("cfg2,dp2");
    EXPECT_FALSE(two.refusal);
    EXPECT_EQ(two.ranks, 4);
    EXPECT_EQ(two.total_seconds, one.total_seconds);
    EXPECT_EQ(two.bytes_per_step, one.bytes_per_step);
    EXPECT_EQ(axis_of(two, "dp"), nullptr);
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
    large.mesh = "single";
    hardware_.available_bytes = large_peak - hardware_.process_bytes - 1;
    ASSERT_TRUE(plans(large).plans[0].refusal);
    EXPECT_EQ(plans(large).plans[0].refusal->code, ErrorCode::MemoryTooSmall);
    EXPECT_FALSE(plans(small).plans[0].refusal);
}

TEST_F(PlannerTest, WeightsCountOnceHoweverManyRanksShareThem) {
    EXPECT_EQ(plan_on("tp2").memory.weights, plan_on("single").memory.weights);
    EXPECT_EQ(plan_on("ulysses4").memory.weights, plan_on("single").memory.weights);
}

} // namespace
} // namespace reelmesh
