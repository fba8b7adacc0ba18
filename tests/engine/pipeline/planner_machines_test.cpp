// Plans for machines and models that are not here.
#include "pipeline/planner.h"

#include <gmock/gmock.h>

#include <cmath>
#include <ctime>
#include <numeric>
#include <set>

#include "base/check.h"
#include "device/hardware_presets.h"
#include "pipeline/cost_model.h"
#include "request/mesh_rules.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

PlanSet plans(const std::string& family, const HardwareSnapshot& hardware, double guidance = 5,
              const std::string& mesh = "auto", int ranks = 0) {
    const ModelPreset preset = model_preset(family);
    JobRequest request;
    request.guidance = guidance;
    request.mesh = mesh;
    request.ranks = ranks;
    return make_plans(preset, with_defaults(request, preset.rules), hardware);
}

std::string pick(const std::string& family, const HardwareSnapshot& hardware, double guidance,
                 int ranks = 0) {
    return chosen_plan(plans(family, hardware, guidance, "auto", ranks)).mesh;
}

Error refusal(const std::string& family, const std::string& mesh, double guidance) {
    const PlanSet set = plans(family, hardware_preset("8xh100-nvlink"), guidance, mesh);
    EXPECT_EQ(set.plans.size(), 1u);
    EXPECT_TRUE(set.plans.front().refusal) << mesh;
    return set.plans.front().refusal.value_or(Error());
}

TEST(PlannerMachinesTest, PicksOfTheSpecification) {
    const HardwareSnapshot eight = hardware_preset("8xh100-nvlink");
    EXPECT_EQ(pick("wan2.1-t2v-14b", eight, 5), "cfg2,ulysses4");
    EXPECT_EQ(pick("wan2.1-t2v-14b", eight, 1), "ulysses8");
    EXPECT_EQ(pick("wan2.1-t2v-14b", hardware_preset("5xh100-nvlink"), 1), "ulysses5");
    EXPECT_EQ(pick("wan2.1-t2v-14b", eight, 1, 5), "ulysses5");
    EXPECT_EQ(pick("wan2.1-t2v-1.3b", eight, 5), "cfg2,ulysses4");
    EXPECT_EQ(pick("wan2.1-t2v-1.3b", hardware_preset("3xh100-nvlink"), 1), "ulysses3");
    EXPECT_EQ(pick("wan2.1-t2v-14b", hardware_preset("8xh200-nvlink"), 5), "cfg2,ulysses4");
}

/// What the window's outcome line shows for the published sizes.
TEST(PlannerMachinesTest, TokensOfThePublishedSizes) {
    const std::tuple<const char*, std::int64_t, std::int64_t, std::int64_t, std::int64_t> rows[] = {
        {"wan2.1-t2v-14b", 832, 480, 81, 32760},
        {"wan2.1-t2v-14b", 1280, 720, 81, 75600},
        {"wan2.2-ti2v-5b", 1280, 704, 121, 27280}};
    for (const auto& [family, width, height, frames, tokens] : rows) {
        const ModelPreset preset = model_preset(family);
        JobRequest request;
        request.width = width;
        request.height = height;
        request.frames = frames;
        const PlanSet set =
            make_plans(preset, with_defaults(request, preset.rules), hardware_preset("8xh100-nvlink"));
        EXPECT_EQ(set.tokens, tokens) << family << " " << width;
    }
}

TEST(PlannerMachinesTest, WithoutPeerAccessGuidanceComesFirstThenRing) {
    HardwareSnapshot staged = hardware_preset("8xrtx4090-pcie");
    for (DeviceSummary& device : staged.devices)
        device.free_bytes = 80 * kGiB;
    EXPECT_EQ(pick("wan2.1-t2v-14b", staged, 5, 2), "cfg2");
    EXPECT_EQ(pick("wan2.1-t2v-14b", staged, 5), "cfg2,ring4");
    EXPECT_EQ(pick("wan2.1-t2v-14b", staged, 1, 4), "ring4");
    for (const int ranks : {4, 6}) {
        const std::string ring = "ring" + std::to_string(ranks / 2);
        EXPECT_EQ(pick("wan2.1-t2v-1.3b", hardware_preset("8xrtx4090-pcie"), 5, ranks), "cfg2," + ring);
    }
}

TEST(PlannerMachinesTest, RefusalsSayWhatDoesNotFitAndOfferWhatDoes) {
    const Error tensor = refusal("wan2.1-t2v-14b", "tp5", 5);
    EXPECT_EQ(tensor.code, ErrorCode::MeshIllegal);
    EXPECT_EQ(tensor.text("found"), "5");
    EXPECT_THAT(tensor.text("needed"), testing::HasSubstr("13824 does not divide by 5"));
    EXPECT_THAT(tensor.text("nearest"), testing::StartsWith("ulysses5, ring5"));
    EXPECT_EQ(refusal("wan2.1-t2v-1.3b", "ulysses16", 5).text("axis"), "ulysses");
    EXPECT_EQ(exit_code(refusal("wan2.1-t2v-1.3b", "ulysses16", 5)), 2);
    EXPECT_EQ(refusal("wan2.1-t2v-14b", "cfg2", 1).text("axis"), "cfg");
    EXPECT_EQ(refusal("flux.1-dev", "cfg2", 3.5).text("axis"), "cfg");
    EXPECT_EQ(refusal("wan2.1-t2v-14b", "pipe2", 5).code, ErrorCode::MeshNotInBuild);
    EXPECT_EQ(exit_code(refusal("wan2.1-t2v-14b", "ulysses16", 5)), 3); // legal for 40 heads, not for 8 cards
}

TEST(PlannerMachinesTest, OddNumbersOfRanksWorkAndUnevenHeadsAreLabelled) {
    for (const char* family : {"wan2.1-t2v-1.3b", "wan2.1-t2v-14b"})
        for (const int ranks : {3, 5, 6, 7}) {
            for (const double guidance : {1.0, 5.0}) {
                const PlanSet set = plans(family, hardware_preset("8xh100-nvlink"), guidance, "auto", ranks);
                EXPECT_FALSE(set.plans.front().refusal);
                EXPECT_EQ(set.plans.front().ranks, ranks);
                EXPECT_THAT(set.plans.front().warnings, testing::Contains(testing::HasSubstr("idle")));
            }
        }
    const Plan uneven = plans("wan2.1-t2v-1.3b", hardware_preset("5xh100-nvlink"), 1, "ulysses5").plans[0];
    EXPECT_TRUE(uneven.uneven);
    EXPECT_THAT(uneven.warnings, testing::ElementsAre("uneven heads: 12 over 5"));
    const std::vector<std::int64_t> heads{3, 3, 2, 2, 2};
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(uneven.shares[i].heads, heads[i]);
}

TEST(PlannerMachinesTest, CostCountsTheMostHeads) {
    const HardwareSnapshot machine = hardware_preset("8xh100-nvlink");
    // 12 heads over 8 ranks: two heads a rank, as with 6 ranks.
    const Plan eight = plans("wan2.1-t2v-1.3b", machine, 1, "ulysses8").plans[0];
    const Plan even = plans("wan2.1-t2v-1.3b", machine, 1, "ulysses4,ring2").plans[0];
    EXPECT_GT(eight.step_seconds, 1.1 * even.step_seconds);
}

TEST(PlannerMachinesTest, BytesOfAGuidedStepOnEightCards) {
    const Plan plan = plans("wan2.1-t2v-14b", hardware_preset("8xh100-nvlink"), 5, "cfg2,ulysses4").plans[0];
    ASSERT_EQ(plan.axes.size(), 3u);
    EXPECT_EQ(plan.axes[0].axis, "cfg");
    EXPECT_EQ(plan.axes[0].bytes_per_step, 4838400u);
    EXPECT_EQ(plan.axes[1].bytes_per_step, 23224320000u);
    EXPECT_EQ(plan.axes[1].total_bytes, 50u * 8 * 23224320000u);
    EXPECT_EQ(plan.axes[2].axis, "vae");
    const Plan wide = plans("wan2.1-t2v-14b", hardware_preset("8xh100-nvlink"), 5, "ulysses8").plans[0];
    EXPECT_EQ(wide.axes[0].bytes_per_step, 27095040000u);
}

TEST(PlannerMachinesTest, TensorParallelRanksHoldTheirShareOfTheBlocks) {
    const HardwareSnapshot machine = hardware_preset("8xh100-nvlink");
    const Plan whole = plans("wan2.1-t2v-14b", machine, 5, "single").plans[0];
    const Plan share = plans("wan2.1-t2v-14b", machine, 5, "tp4").plans[0];
    const std::uint64_t blocks = 4 * (whole.memory.weights - share.memory.weights) / 3;
    EXPECT_NEAR(static_cast<double>(blocks), 28e9, 1.5e9);
    EXPECT_LT(share.shares[0].peak_bytes, whole.shares[0].peak_bytes);
}

/// Cards of which one is twice as fast.
TEST(PlannerMachinesTest, UnlikeCardsGetTokensBySpeed) {
    for (const std::size_t fast : {0, 1}) {
        HardwareSnapshot machine = hardware_preset("2xh100-nvlink");
        machine.devices[fast].rates.gemm_flops *= 2;
        machine.devices[fast].rates.attention_flops *= 2;
        const Plan plan = plans("wan2.1-t2v-14b", machine, 1, "ring2").plans[0];
        ASSERT_EQ(plan.weights.size(), 2u);
        EXPECT_EQ(plan.devices.size(), 2u);
        for (std::size_t rank = 0; rank < 2; ++rank) {
            const bool is_fast = plan.devices[rank] == machine.devices[fast].id;
            EXPECT_EQ(plan.weights[rank], is_fast ? 1.0 : 0.5);
            EXPECT_EQ(plan.shares[rank].tokens, is_fast ? 50400 : 25200);
        }
        const Plan even = plans("wan2.1-t2v-14b", hardware_preset("2xh100-nvlink"), 1, "ring2").plans[0];
        EXPECT_LT(plan.step_seconds, even.step_seconds);
    }
}

TEST(PlannerMachinesTest, EachDeviceIsHeldAgainstItsOwnMemory) {
    for (const std::size_t small : {0, 1}) {
        HardwareSnapshot machine = hardware_preset("2xrtx4090-pcie");
        machine.devices[small].total_bytes = machine.devices[small].free_bytes = 8 * kGiB;
        machine.devices[1 - small].free_bytes = 24 * kGiB;
        const std::string small_id = machine.devices[small].id;
        const PlanSet set = plans("wan2.1-t2v-1.3b", machine, 5);
        for (const Plan& plan : set.plans) {
            if (plan.shares.empty()) continue;
            ASSERT_EQ(static_cast<int>(plan.shares.size()), plan.ranks);
            for (const RankShare& share : plan.shares)
                EXPECT_GT(share.peak_bytes, 8 * kGiB);
            if (plan.ranks == 1) {
                EXPECT_FALSE(plan.refusal); // on the card that has room
                EXPECT_NE(plan.devices[0], small_id);
            } else if (plan.refusal->code == ErrorCode::MemoryTooSmall) {
                EXPECT_EQ(plan.refusal->text("device"), small_id);
                EXPECT_EQ(exit_code(*plan.refusal), 3);
                EXPECT_THAT(error_message(*plan.refusal), testing::HasSubstr("on " + small_id));
            }
        }
        EXPECT_EQ(chosen_plan(set).mesh, "single");
    }
}

TEST(PlannerMachinesTest, AskedDevicesKeepTheirOrder) {
    const ModelPreset preset = model_preset("wan2.1-t2v-1.3b");
    JobRequest request;
    request.devices = {"cuda:3", "cuda:1"};
    request.mesh = "cfg2";
    const PlanSet set =
        make_plans(preset, with_defaults(request, preset.rules), hardware_preset("4xh100-nvlink"));
    EXPECT_THAT(set.plans[0].devices, testing::ElementsAre("cuda:3", "cuda:1"));
    request.mesh = "ulysses3";
    const PlanSet refused =
        make_plans(preset, with_defaults(request, preset.rules), hardware_preset("4xh100-nvlink"));
    EXPECT_EQ(refused.plans[0].refusal->code, ErrorCode::MeshTooLarge);
}

TEST(PlannerMachinesTest, RanksMayShareACardAndItsWeights) {
    const ModelPreset preset = model_preset("wan2.1-t2v-14b");
    HardwareSnapshot machine = hardware_preset("1xh100-nvlink");
    JobRequest request;
    request.mesh = "single";
    const Plan alone = make_plans(preset, with_defaults(request, preset.rules), machine).plans[0];
    ASSERT_FALSE(alone.refusal);
    request.devices = {"cuda:0", "cuda:0"};
    request.mesh = "cfg2";
    const JobRequest shared = with_defaults(request, preset.rules);
    const Plan plan = make_plans(preset, shared, machine).plans[0];
    EXPECT_FALSE(plan.refusal);
    EXPECT_THAT(plan.devices, testing::ElementsAre("cuda:0", "cuda:0"));
    // Room for one rank and the weights, but not for what a second one keeps.
    const std::uint64_t second = plan.shares[1].peak_bytes - plan.memory.base - plan.memory.weights;
    machine.devices[0].free_bytes =
        static_cast<std::uint64_t>(static_cast<double>(plan.shares[0].peak_bytes + second / 2) / 0.92);
    const Plan refused = make_plans(preset, shared, machine).plans[0];
    ASSERT_TRUE(refused.refusal);
    EXPECT_EQ(refused.refusal->code, ErrorCode::MemoryTooSmall);
}

TEST(PlannerMachinesTest, ProcessorAndGpusAreNotMixed) {
    const ModelPreset preset = model_preset("wan2.1-t2v-1.3b");
    HardwareSnapshot machine = hardware_preset("cpu");
    for (const DeviceSummary& card : hardware_preset("1xh100-nvlink").devices)
        machine.devices.push_back(card);
    JobRequest request;
    request.mesh = "cfg2";
    request.devices = {"cpu", "cuda:0"};
    const Plan plan = make_plans(preset, with_defaults(request, preset.rules), machine).plans[0];
    ASSERT_TRUE(plan.refusal);
    EXPECT_EQ(plan.refusal->code, ErrorCode::BadField);
    EXPECT_EQ(plan.refusal->text("needed"), "devices of one kind");
}

/// Two islands of fast links: axes that send most stay inside of one.
TEST(PlannerMachinesTest, InnerAxesStayOnFastLinks) {
    HardwareSnapshot machine = hardware_preset("4xh100-nvlink");
    for (LinkSummary& link : machine.links)
        if (link.from % 2 != link.to % 2) link = {link.from, link.to, "pcie", 20e9, 15e-6};
    const Plan plan = plans("wan2.1-t2v-14b", machine, 5, "cfg2,ulysses2").plans[0];
    EXPECT_THAT(plan.devices, testing::ElementsAre("cuda:0", "cuda:2", "cuda:1", "cuda:3"));
    const Plan equal = plans("wan2.1-t2v-14b", hardware_preset("4xh100-nvlink"), 5, "cfg2,ulysses2").plans[0];
    EXPECT_THAT(equal.devices, testing::ElementsAre("cuda:0", "cuda:1", "cuda:2", "cuda:3"));
}

TEST(PlannerMachinesTest, TwoToEightCardsOnThreeKindsOfLinks) {
    for (const char* card : {"h100-nvlink", "h100-pcie", "rtx4090-pcie"})
        for (int count = 2; count <= 8; ++count)
            for (const double guidance : {1.0, 5.0}) {
                const HardwareSnapshot machine = hardware_preset(std::to_string(count) + "x" + card);
                const PlanSet set = plans("wan2.1-t2v-1.3b", machine, guidance);
                const Plan& best = chosen_plan(set);
                EXPECT_GT(best.ranks, 1);
                EXPECT_LE(best.ranks, count);
                const Plan single = plans("wan2.1-t2v-1.3b", machine, guidance, "single").plans[0];
                EXPECT_LT(best.total_seconds, single.total_seconds);
                std::set<std::string> devices(best.devices.begin(), best.devices.end());
                EXPECT_EQ(static_cast<int>(devices.size()), best.ranks);
                for (const Plan& plan : set.plans)
                    if (!plan.refusal) {
                        const MeshLimits limits{32760, 12, 8960, 30, guidance > 1 ? 2 : 1};
                        EXPECT_TRUE(shape_faults(parse_mesh(plan.mesh), limits).empty());
                        EXPECT_GT(plan.total_seconds, 0);
                        EXPECT_GT(plan.memory.peak(), 0u);
                        for (const RankShare& share : plan.shares)
                            EXPECT_TRUE(share.tokens > 0 && share.heads > 0);
                    }
            }
}

/// Processor time of a plan for 8 devices: 50 ms are promised; machines under load get five times that.
TEST(PlannerMachinesTest, APlanIsCheap) {
    std::vector<HardwareSnapshot> machines{hardware_preset("8xh100-nvlink"), hardware_preset("8xcpu")};
    HardwareSnapshot islands = machines[0], unlike = machines[0];
    for (LinkSummary& link : islands.links)
        if (link.from / 4 != link.to / 4) link = {link.from, link.to, "staged", 12e9, 30e-6};
    for (std::size_t i = 0; i < unlike.devices.size(); ++i) {
        unlike.devices[i].rates.gemm_flops *= 1 + 0.1 * static_cast<double>(i);
        unlike.links[i].bytes_per_s *= 1 + 0.1 * static_cast<double>(i);
    }
    machines.push_back(islands);
    machines.push_back(unlike);
    for (const HardwareSnapshot& machine : machines) {
        const std::clock_t start = std::clock();
        const PlanSet set = plans("wan2.1-t2v-14b", machine, 5);
        const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        EXPECT_GT(set.plans.size(), 50u);
        EXPECT_LT(seconds, 5 * 0.050);
        RecordProperty("plan_ms_" + std::to_string(&machine - machines.data()),
                       std::to_string(1000 * seconds));
    }
}

TEST(PresetsTest, UnknownNamesListTheKnownOnes) {
    for (const char* name : {"8xh100", "0xh100-nvlink", "65xh100-nvlink", "8h100-nvlink", "x", ""}) {
        const auto machine = catch_errors([&] { return hardware_preset(name); });
        ASSERT_FALSE(machine) << name;
        EXPECT_EQ(exit_code(machine.error()), 2);
        EXPECT_THAT(machine.error().text("nearest"), testing::HasSubstr("h100-nvlink, h200-nvlink"));
    }
    const auto model = catch_errors([] { return model_preset("wan3"); });
    ASSERT_FALSE(model);
    EXPECT_THAT(model.error().text("nearest"), testing::HasSubstr("wan2.1-t2v-1.3b, wan2.1-t2v-14b"));
    for (const std::string& name : machine_names())
        EXPECT_EQ(hardware_preset("2x" + name).preset, "2x" + name);
}

TEST(PresetsTest, EveryModelHasAPlanOnEveryLargeMachine) {
    for (const std::string& family : model_preset_names()) {
        const PlanSet set = plans(family, hardware_preset("8xh200-nvlink"));
        EXPECT_EQ(set.family, family);
        EXPECT_EQ(set.basis, "preset");
        EXPECT_FALSE(set.plans.front().refusal) << family;
        EXPECT_EQ(set.plans.front().ranks, 8) << family;
    }
    const PlanSet flux = plans("flux.1-dev", hardware_preset("8xh100-nvlink"));
    EXPECT_EQ(flux.tokens, 4096);
    EXPECT_EQ(flux.plans.front().forwards_per_step, 1);
}

TEST(CostModelTest, StagesTakeTheTimeOfTheSpecification) {
    const std::tuple<int, int, double> rows[] = {
        {2, 1, 1.942}, {4, 1, 3.721}, {4, 4, 3.187}, {8, 1, 6.911}, {8, 4, 5.071}};
    for (const auto& [stages, warm_up, speed_up] : rows)
        EXPECT_NEAR(50 / pipe_seconds(1, 50, stages, stages, warm_up), speed_up, 0.0005);
}

/// The reference guide's measured runs: what two ranks say of four and eight.
TEST(CostModelTest, ReferenceGuideWithinTenPercent) {
    const auto serial_share = [](double speed_up) { return 2 / speed_up - 1; };
    const auto predicted = [](double serial, int ranks) { return 1 / (serial + (1 - serial) / ranks); };
    const double ulysses = serial_share(112.5 / 65.2), ring = serial_share(45.2 / 29.9);
    EXPECT_NEAR(ulysses, 0.159, 0.0005);
    EXPECT_NEAR(ring, 0.323, 0.0005);
    EXPECT_NEAR(predicted(ulysses, 4) / (112.5 / 39.6), 1, 0.1);
    EXPECT_NEAR(predicted(ulysses, 8) / (112.5 / 30.8), 1, 0.1);
    EXPECT_NEAR(predicted(ring, 4) / (45.2 / 23.3), 1, 0.1);
    EXPECT_NEAR(predicted(ring, 4) / (45.2 / 24.3), 1, 0.1); // ulysses2,ring2
}

/// The chapter's machine: a forward of 15 s, 300 GB/s.
TEST(CostModelTest, ReferenceLatenciesWithinTenPercent) {
    HardwareSnapshot machine = hardware_preset("8xh100-nvlink");
    const double flop =
        forward_flop(plan_subject(model_preset("wan2.1-t2v-14b"),
                                  with_defaults({}, model_preset("wan2.1-t2v-14b").rules), machine)
                         .shape,
                     75600)
            .total();
    for (DeviceSummary& device : machine.devices)
        device.rates = {flop / 15, flop / 15, 1e15, 0, "preset"};
    const auto minutes = [&](const std::string& mesh) {
        return 50 * plans("wan2.1-t2v-14b", machine, 5, mesh).plans[0].step_seconds / 60;
    };
    EXPECT_NEAR(minutes("single"), 25.0, 0.05);
    EXPECT_NEAR(minutes("cfg2"), 12.5, 0.05);
    EXPECT_NEAR(minutes("cfg2,ulysses4"), 3.19, 0.02);
    EXPECT_NEAR(minutes("cfg2") / 13, 1, 0.1);
    EXPECT_NEAR(minutes("cfg2,ulysses4") / 3.5, 1, 0.1);
}

} // namespace
} // namespace reelmesh
