// Through the whole engine: every legal mesh of up to eight CPU ranks makes the one-rank clip, sends exactly
// the bytes that its plan says, and is refused with an offer where it is not legal.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <thread>

#include "request/mesh_rules.h"
#include "support/clip_fixture.h"
#include "weights/tensor_io.h"

namespace reelmesh::testing {
namespace {

struct MeshCase {
    const char* name;
    const char* model;
    std::int64_t width, height, frames;
    double guidance;
};

class MeshEndToEndTest : public ClipFixture, public ::testing::WithParamInterface<MeshCase> {
protected:
    JobRequest request() const {
        const MeshCase& made = GetParam();
        JobRequest job = tiny_request();
        job.model = golden(std::string("models/") + made.model);
        job.width = made.width;
        job.height = made.height;
        job.frames = made.frames;
        job.guidance = made.guidance;
        job.steps = 2;
        return job;
    }
};

TEST_P(MeshEndToEndTest, EveryLegalMeshMakesTheOneRankClipAndSendsWhatThePlanSays) {
    JobRequest job = request();
    const Clip alone = clip(job);
    ASSERT_TRUE(alone.latents.defined());
    const auto rules = engine_.rules(job.model);
    ASSERT_TRUE(rules);
    int meshes = 0;
    for (int ranks = 2; ranks <= 8; ++ranks)
        for (const MeshShape& shape : legal_meshes(mesh_limits(with_defaults(job, *rules), *rules), ranks)) {
            job.mesh = mesh_text(shape);
            SCOPED_TRACE(job.mesh);
            const auto plans = engine_.plan(job, engine_.hardware());
            ASSERT_TRUE(plans) << error_message(plans.error());
            const Plan& plan = plans->plans.front();
            ASSERT_FALSE(plan.refusal) << error_message(*plan.refusal);
            const Clip made = clip(job);
            ASSERT_TRUE(made.latents.defined());
            expect_one_rank_clip(made, shape, alone);
            std::map<std::string, std::uint64_t> planned;
            for (const AxisCost& axis : plan.axes)
                if (axis.total_bytes > 0) planned[axis.axis] = axis.total_bytes;
            std::map<std::string, std::uint64_t> sent = made.report.bytes_by_axis;
            std::erase_if(sent, [](const auto& entry) { return entry.second == 0; });
            EXPECT_EQ(sent, planned);
            ++meshes;
        }
    EXPECT_GT(meshes, 3);
}

INSTANTIATE_TEST_SUITE_P(Cases, MeshEndToEndTest,
                         ::testing::Values(MeshCase{"OddTokens", "wan21-t2v", 48, 48, 9, 5},
                                           MeshCase{"WithoutGuidance", "wan21-t2v", 80, 48, 5, 1},
                                           MeshCase{"OneFrame", "wan21-t2v", 48, 80, 1, 5},
                                           MeshCase{"TwoExperts", "wan22-a14b", 48, 48, 5, 4},
                                           MeshCase{"ResidualVae", "wan22-ti2v-5b", 96, 64, 5, 5}),
                         [](const auto& info) { return info.param.name; });

class MeshJobTest : public EngineFixture {};

TEST_F(MeshJobTest, PreviewsAddNoBytes) {
    JobRequest job = tiny_request();
    job.mesh = "cfg2,ulysses2";
    const JobOutcome with = run(job);
    job.preview = "off";
    const JobOutcome without = run(job);
    EXPECT_EQ(with.previews.size(), 3U);
    EXPECT_TRUE(without.previews.empty());
    EXPECT_EQ(with.last().report.bytes_by_axis, without.last().report.bytes_by_axis);
    EXPECT_GT(with.last().report.bytes_by_axis.at("ulysses"), 0U);
}

TEST_F(MeshJobTest, GuidanceUpToOneRefusesTheGuidanceAxisAndOffersTheSameRanks) {
    for (const double guidance : {1.0, 0.0, 0.999}) {
        JobRequest job = tiny_request();
        job.guidance = guidance;
        job.mesh = "cfg2,ulysses2";
        const auto refused = engine_.submit(job, no_output());
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::MeshIllegal);
        EXPECT_EQ(exit_code(refused.error()), 2);
        // The first offer has as many ranks, and runs.
        const std::string nearest = refused.error().text("nearest");
        job.mesh = nearest.substr(0, nearest.find(", "));
        EXPECT_EQ(parse_mesh(job.mesh).ranks(), 4) << nearest;
        EXPECT_EQ(run(job).state, JobState::Done);
    }
    JobRequest barely = tiny_request();
    barely.guidance = 1.0001;
    barely.mesh = "cfg2,ulysses2";
    EXPECT_EQ(run(barely).state, JobState::Done);
}

TEST_F(MeshJobTest, AnyNumberOfRanksRunsWhereALegalMeshExists) {
    for (int ranks = 1; ranks <= 8; ++ranks) {
        JobRequest job = tiny_request();
        job.ranks = ranks;
        const auto id = engine_.plan(job, engine_.hardware());
        ASSERT_TRUE(id);
        if (id->plans.front().refusal) continue; // no mesh of the tiny model: said with an offer
        EXPECT_EQ(id->plans.front().ranks, ranks);
        const JobOutcome outcome = run(job);
        EXPECT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
        EXPECT_EQ(parse_mesh(outcome.last().report.mesh).ranks(), ranks);
    }
}

TEST_F(MeshJobTest, NineRanksOnACpuAreMoreThanItHas) {
    JobRequest job = tiny_request();
    job.ranks = std::max(8, engine_.hardware().cores) + 1;
    const auto refused = engine_.submit(job, no_output());
    ASSERT_FALSE(refused);
    EXPECT_EQ(exit_code(refused.error()), 3) << error_message(refused.error());
}

/// Which of two jobs made the steps, in order, and how both ended.
struct TwoJobs : EventSink {
    using EventSink::on;
    void on(const StepDone& done) override { steps.push_back(done.job); }
    void on(const JobStateChanged& event) override {
        if (event.state == JobState::Done || event.state == JobState::Failed) ends[event.job] = event.state;
    }
    std::vector<JobId> steps;
    std::map<JobId, JobState> ends;
};

// Each replica takes the next waiting job; one that fails leaves the other running.
TEST_F(MeshJobTest, ADataAxisRunsWaitingJobsSideBySide) {
    JobRequest job = tiny_request();
    job.steps = 60;
    RunOptions options = no_output();
    options.threads = 2;
    options.save_latents = path("alone.safetensors");
    ASSERT_EQ(run(job, options).state, JobState::Done);
    write_tensors(path("bad.safetensors"),
                  {{"latents", at::full({1, 16, 2, 4, 4}, std::numeric_limits<float>::quiet_NaN())}});
    for (const bool one_fails : {false, true}) {
        JobRequest parallel = job;
        parallel.mesh = "dp2";
        options.save_latents = path("first.safetensors");
        const auto first = engine_.submit(parallel, options);
        options.save_latents = path("second.safetensors");
        if (one_fails) options.initial_latents = path("bad.safetensors");
        const auto second = engine_.submit(parallel, options);
        ASSERT_TRUE(first) << error_message(first.error());
        ASSERT_TRUE(second);
        TwoJobs sink;
        for (int wait = 0; sink.ends.size() < 2 && wait < 3000; ++wait) {
            engine_.drain(sink, std::chrono::milliseconds(10));
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        EXPECT_EQ(sink.ends[*first], JobState::Done);
        EXPECT_EQ(sink.ends[*second], one_fails ? JobState::Failed : JobState::Done);
        EXPECT_EQ(file_bytes(path("first.safetensors")), file_bytes(path("alone.safetensors")));
        if (one_fails) continue;
        EXPECT_EQ(file_bytes(path("second.safetensors")), file_bytes(path("alone.safetensors")));
        // Not one behind the other: the second began before the first had ended.
        const auto began = std::find(sink.steps.begin(), sink.steps.end(), *second);
        EXPECT_NE(std::find(began, sink.steps.end(), *first), sink.steps.end());
    }
}

TEST_F(MeshJobTest, ParityHoldsBetweenMeshesAndSaysHowFarApartTheyAre) {
    RunOptions options = no_output();
    const auto cfg = engine_.parity(tiny_request(), options, "cfg2", "single").get();
    ASSERT_TRUE(cfg) << error_message(cfg.error());
    EXPECT_TRUE(cfg->within && cfg->latents_equal);
    EXPECT_EQ(cfg->latents_bound, 0);
    const auto ring = engine_.parity(tiny_request(), options, "ring2,ulysses2", "cfg2").get();
    ASSERT_TRUE(ring) << error_message(ring.error());
    EXPECT_TRUE(ring->within);
    EXPECT_EQ(ring->mesh, "ulysses2,ring2");
    EXPECT_GT(ring->latents_bound, 0);
    JobRequest rounded = tiny_request();
    rounded.dtype = "bf16";
    const auto bf16 = engine_.parity(rounded, options, "ulysses2", "single").get();
    ASSERT_TRUE(bf16) << error_message(bf16.error());
    EXPECT_TRUE(bf16->within) << bf16->latents_rel_l2 << " of " << bf16->latents_bound;
    EXPECT_GT(bf16->latents_bound, 1e-4);
    const auto refused = engine_.parity(tiny_request(), options, "ulysses64", "single").get();
    ASSERT_FALSE(refused);
    EXPECT_EQ(exit_code(refused.error()), 2);
}

TEST_F(MeshJobTest, CancelLeavesNoRankBehind) {
    JobRequest job = tiny_request();
    job.mesh = "cfg2,ulysses2,ring2";
    job.steps = 200;
    for (int round = 0; round < 3; ++round) {
        JobOutcome outcome;
        outcome.at_step = [&](const StepDone& done) {
            if (done.step == round) engine_.cancel(outcome.job);
        };
        follow(job, no_output(), outcome);
        EXPECT_EQ(outcome.state, JobState::Canceled);
        JobRequest next = job;
        next.steps = 2;
        EXPECT_EQ(run(next).state, JobState::Done);
    }
}

} // namespace
} // namespace reelmesh::testing
