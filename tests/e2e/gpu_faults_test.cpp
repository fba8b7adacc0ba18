// GPUs are used where they compute right, and read each other where that works; what does not is found within
// the self-test's patience, told, and gone around. On simulated GPUs, which can be broken.
#include "mesh/gpu_self_test.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>

#include "support/engine_fixture.h"
#include "support/with_fault.h"

namespace reelmesh::testing {
namespace {

GpuFindings tested(const char* fault = "") {
    const CudaPart& part = cuda_part();
    const WithFault broken(fault);
    const auto start = std::chrono::steady_clock::now();
    const GpuFindings findings = test_gpus(part.backend->devices(), [] { return false; });
    EXPECT_LE(std::chrono::steady_clock::now() - start,
              std::chrono::seconds(10)); // what is promised of a hang
    return findings;
}

const c10::Device kFirst{at::kCUDA, 0}, kSecond{at::kCUDA, 1};

TEST(GpuSelfTest, WorkingCardsAreUsedAndTheirLinksMeasured) {
    const GpuFindings findings = tested();
    ASSERT_EQ(findings.working.size(), 2U);
    EXPECT_TRUE(findings.staged.empty());
    EXPECT_TRUE(findings.notices.empty()) << findings.notices.front();
    EXPECT_GT(findings.working[0].bytes_per_s[1], 0);
    EXPECT_GT(findings.working[1].bytes_per_s[0], 0);
}

TEST(GpuSelfTest, ACardThatComputesWronglyIsLeftOutAndNamed) {
    const GpuFindings findings = tested("wrong");
    ASSERT_EQ(findings.working.size(), 1U);
    EXPECT_EQ(findings.working[0].index, 0);
    ASSERT_EQ(findings.notices.size(), 1U);
    EXPECT_NE(findings.notices[0].find("cuda:1 (Simulated GPU) computes a matrix product wrongly"),
              std::string::npos)
        << findings.notices[0];
}

TEST(GpuSelfTest, APathThatChangesBytesIsNotTaken) {
    const GpuFindings findings = tested("corrupt");
    EXPECT_EQ(findings.working.size(), 2U);
    EXPECT_TRUE(findings.staged.has(kFirst, kSecond));
    ASSERT_EQ(findings.notices.size(), 1U);
    EXPECT_NE(findings.notices[0].find("gets other bytes"), std::string::npos) << findings.notices[0];
}

TEST(GpuSelfTest, ItEndsWhenTheEngineEndsAndFindsNothing) {
    cuda_part();
    const WithFault fault("hang");
    // The engine ends while the links are waited for.
    std::atomic<bool> ending{false};
    std::thread end([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ending = true;
    });
    const auto start = std::chrono::steady_clock::now();
    const GpuFindings findings = test_gpus(cuda_part().backend->devices(), [&] { return ending.load(); });
    EXPECT_LE(std::chrono::steady_clock::now() - start, kSelfTestPatience / 2);
    end.join();
    EXPECT_TRUE(findings.working.empty());
    EXPECT_TRUE(findings.notices.empty()) << findings.notices.front();
}

class GpuPathTest : public EngineFixture {
protected:
    JobRequest on_two_cards() const {
        JobRequest job = tiny_request();
        job.mesh = "cfg2,ulysses2";
        job.devices = {"cuda:0", "cuda:1", "cuda:0", "cuda:1"};
        return job;
    }
};

// A wide model is computed in bf16 where the job's own devices multiply it fast, whatever others do.
TEST_F(GpuPathTest, AutoPrecisionIsThatOfTheJobsDevices) {
    HardwareSnapshot machine = engine_.hardware();
    ASSERT_EQ(machine.devices.size(), 3U);
    machine.devices[0].fast_bf16 = false;
    machine.devices[1].fast_bf16 = true;
    machine.devices[2].fast_bf16 = false;
    JobRequest job = tiny_request();
    const auto dtype = [&](std::vector<std::string> devices) {
        job.devices = std::move(devices);
        const auto plans = engine_.plan_preset("wan2.1-t2v-1.3b", job, machine);
        return plans ? plans->dtype : error_message(plans.error());
    };
    job.width = 64;
    job.height = 64;
    EXPECT_EQ(dtype({"cpu"}), "fp32");
    EXPECT_EQ(dtype({"cuda:0"}), "bf16");
    EXPECT_EQ(dtype({"cuda:1"}), "fp32");
    EXPECT_EQ(dtype({}), "fp32");
}

TEST_F(GpuPathTest, ADeviceThatIsNotThereIsRefusedInWholeWords) {
    JobRequest job = tiny_request();
    job.devices = {"cuda:7"};
    const auto refused = engine_.submit(job, no_output());
    ASSERT_FALSE(refused);
    EXPECT_EQ(exit_code(refused.error()), 2);
    EXPECT_EQ(refused.error().text("needed"), "a device of this machine");
}

TEST_F(GpuPathTest, WithoutANameRanksAreOnTheGpus) {
    JobRequest job = tiny_request();
    job.ranks = 2;
    const JobOutcome outcome = run(job);
    ASSERT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
    EXPECT_EQ(outcome.last().report.devices, (std::vector<std::string>{"cuda:0", "cuda:1"}));
    EXPECT_EQ(engine_.hardware().no_gpu_reason, "");
    job.devices = {"cpu"};
    EXPECT_EQ(run(job).last().report.devices, (std::vector<std::string>{"cpu", "cpu"}));
}

// A card that is full or gone in the middle of a job fails the job by name; the next one runs.
TEST_F(GpuPathTest, ACardThatFailsInAJobFailsTheJobAndNotTheNext) {
    const std::string expected = saved_bytes(on_two_cards(), &RunOptions::save_latents);
    const std::pair<const char*, ErrorCode> faults[] = {{"full", ErrorCode::OutOfMemory},
                                                        {"lost", ErrorCode::Internal}};
    for (const auto& [name, code] : faults) {
        SCOPED_TRACE(name);
        JobRequest job = on_two_cards();
        job.steps = 200;
        JobOutcome outcome;
        std::optional<WithFault> fault;
        outcome.at_step = [&, what = name](const StepDone& done) {
            if (done.step == 1) fault.emplace(what);
        };
        follow(job, no_output(), outcome);
        fault.reset();
        ASSERT_EQ(outcome.state, JobState::Failed);
        EXPECT_EQ(outcome.last().error.code, code) << error_message(outcome.last().error);
        EXPECT_EQ(outcome.last().error.stage, Stage::Denoise);
        if (code == ErrorCode::OutOfMemory) {
            EXPECT_NE(error_message(outcome.last().error).find(" GiB needed, "), std::string::npos)
                << error_message(outcome.last().error);
        }
        EXPECT_EQ(saved_bytes(on_two_cards(), &RunOptions::save_latents), expected);
    }
}

TEST_F(GpuPathTest, CancelLeavesNoRankBehind) {
    const std::string expected = saved_bytes(on_two_cards(), &RunOptions::save_latents);
    for (int round = 0; round < 3; ++round) {
        JobRequest job = on_two_cards();
        job.steps = 200;
        JobOutcome outcome;
        outcome.at_step = [&](const StepDone& done) {
            if (done.step == round) engine_.cancel(outcome.job);
        };
        follow(job, no_output(), outcome);
        EXPECT_EQ(outcome.state, JobState::Canceled);
        EXPECT_EQ(saved_bytes(on_two_cards(), &RunOptions::save_latents), expected);
    }
}

// The path between the cards never ends: found at the start, the host's memory is used, it is said, and the
// clip is the same to the bit.
TEST_F(GpuPathTest, APathThatNeverEndsIsGoneAround) {
    const std::string direct = saved_bytes(on_two_cards(), &RunOptions::save_latents);
    const WithFault fault("hang");
    EngineImpl second({REELMESH_RESOURCES});
    const auto start = std::chrono::steady_clock::now();
    const HardwareSnapshot hardware = second.hardware();
    EXPECT_LE(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
    ASSERT_EQ(hardware.gpu_notices.size(), 1U);
    EXPECT_NE(hardware.gpu_notices[0].find("never ends; the two exchange through the host's memory"),
              std::string::npos)
        << hardware.gpu_notices[0];
    const auto plans = second.plan(on_two_cards(), hardware);
    ASSERT_TRUE(plans) << error_message(plans.error());
    const std::vector<std::string>& warnings = plans->plans.front().warnings;
    EXPECT_NE(
        std::find(warnings.begin(), warnings.end(), "cuda:0 and cuda:1 exchange through the host's memory"),
        warnings.end());

    RunOptions options = no_output();
    options.save_latents = path("staged.safetensors");
    const auto job = second.submit(on_two_cards(), options);
    ASSERT_TRUE(job) << error_message(job.error());
    JobOutcome outcome;
    outcome.job = *job;
    for (int wait = 0; !outcome.ended && wait < 3000; ++wait) {
        second.drain(outcome, std::chrono::milliseconds(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ASSERT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
    EXPECT_EQ(file_bytes(options.save_latents), direct);
    int staged = 0;
    for (const TelemetryEvent& event : outcome.telemetry)
        staged += event.kind == EventKind::Exchange && event.link == LinkKind::Staged;
    EXPECT_GT(staged, 0);
}

} // namespace
} // namespace reelmesh::testing
