// The whole engine on GPUs: against the CPU, and each legal mesh with its ranks on one card and on several
// against one rank there. The same program is built twice: beside the real CUDA part, where it skips without
// a GPU, and beside simulated GPUs (tests/support/simulated_gpus), where it runs on any machine.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "device/cuda_backend.h"
#include "request/mesh_rules.h"
#include "support/clip_fixture.h"
#include "support/wide_model.h"

namespace reelmesh::testing {
namespace {

class GpuEngineTest : public ClipFixture {
protected:
    void SetUp() override {
        EngineFixture::SetUp();
        if (cuda_part().backend) {
            cards_ = static_cast<int>(cuda_part().backend->devices().size());
            return;
        }
#ifdef REELMESH_SIMULATED_GPUS
        FAIL() << cuda_part().reason;
#else
        GTEST_SKIP() << cuda_part().reason;
#endif
    }

    /// One name a rank, over so many cards in turn.
    static std::vector<std::string> devices(int ranks, int cards) {
        std::vector<std::string> names;
        for (int rank = 0; rank < ranks; ++rank)
            names.push_back("cuda:" + std::to_string(rank % cards));
        return names;
    }

    /// Counts the meshes that it ran.
    int expect_meshes_equal_one_rank(JobRequest job, int most_ranks, int cards) {
        job.steps = 2;
        job.devices = devices(1, 1);
        const Clip alone = clip(job);
        const auto rules = engine_.rules(job.model);
        if (!rules || !alone.latents.defined()) return 0;
        int meshes = 0;
        for (int ranks = 2; ranks <= most_ranks; ++ranks)
            for (const MeshShape& shape :
                 legal_meshes(mesh_limits(with_defaults(job, *rules), *rules), ranks)) {
                job.mesh = mesh_text(shape);
                job.devices = devices(ranks, cards);
                SCOPED_TRACE(job.mesh + " on " + std::to_string(cards) + " cards");
                const Clip made = clip(job);
                if (!made.latents.defined()) return 0;
                expect_one_rank_clip(made, shape, alone);
                ++meshes;
            }
        return meshes;
    }

    void expect_parity_with_cpu(const JobRequest& job) {
        JobRequest on_card = job;
        on_card.devices = {"cuda:0"};
        const auto report = engine_.parity(on_card, no_output(), "single", "cpu").get();
        ASSERT_TRUE(report) << error_message(report.error());
        EXPECT_TRUE(report->within) << "latents " << report->latents_rel_l2 << " of " << report->latents_bound
                                    << ", frames " << report->frames_max_abs << " of "
                                    << report->frames_bound;
        EXPECT_GT(report->latents_rel_l2 + report->frames_max_abs, 0) << "both ran on the same device";
        std::cout << "[ MEASURED ] rel L2 " << report->latents_rel_l2 << ", frames "
                  << report->frames_max_abs * 255 << "/255\n";
    }

    int cards_ = 0;
};

TEST_F(GpuEngineTest, TheSampleModelMakesTheClipOfTheCpu) {
    JobRequest job = tiny_request();
    job.model = "";
    job.width = 64;
    job.height = 64;
    expect_parity_with_cpu(job);
}

TEST_F(GpuEngineTest, AModelOf1300MillionsWidthMakesTheClipOfTheCpu) {
    write_wide_model(path("wide"));
    JobRequest job = tiny_request();
    job.model = path("wide");
    job.width = 64;
    job.height = 64;
    job.steps = 2;
    for (const char* dtype : {"fp32", "bf16"}) {
        SCOPED_TRACE(dtype);
        job.dtype = dtype;
        expect_parity_with_cpu(job);
    }
}

TEST_F(GpuEngineTest, EveryLegalMeshOfOneCardMakesItsOneRankClip) {
    JobRequest job = tiny_request();
    job.width = 48;
    job.height = 48; // 9 tokens a frame: nothing divides
    EXPECT_GT(expect_meshes_equal_one_rank(job, 8, 1), 6);
    job.model = golden("models/wan22-ti2v-5b");
    job.width = 96;
    job.height = 64;
    EXPECT_GT(expect_meshes_equal_one_rank(job, 2, 1), 1);
}

TEST_F(GpuEngineTest, EveryLegalMeshOverCardsMakesTheOneRankClip) {
    if (cards_ < 2) GTEST_SKIP() << "one GPU";
    JobRequest job = tiny_request();
    job.width = 48;
    job.height = 48;
    EXPECT_GT(expect_meshes_equal_one_rank(job, 4, 2), 3);
}

// Nothing that a rank did is lost on the way from its stream, and the times are in the order of the stream.
TEST_F(GpuEngineTest, ATraceHasTheEventsOfACpuRunInTheOrderOfEachRanksStream) {
    JobRequest job = tiny_request();
    job.mesh = "cfg2,ulysses2";
    RunOptions options = no_output();
    options.threads = 4;
    options.detail = 2;
    const auto counted = [](const std::vector<TelemetryEvent>& events) {
        std::map<std::tuple<int, EventKind, int, int, int>, int> counts;
        for (const TelemetryEvent& event : events)
            if (event.rank >= 0)
                ++counts[{event.rank, event.kind, event.step, event.block,
                          event.kind == EventKind::Part ? 0 : event.detail}];
        return counts;
    };
    job.devices = {"cpu"};
    const JobOutcome on_cpu = run(job, options);
    ASSERT_EQ(on_cpu.state, JobState::Done);
    job.devices = devices(4, cards_ > 1 ? 2 : 1);
    const JobOutcome on_gpu = run(job, options);
    ASSERT_EQ(on_gpu.state, JobState::Done) << error_message(on_gpu.last().error);
    const auto found = counted(on_gpu.telemetry), needed = counted(on_cpu.telemetry);
    for (const auto& [key, count] : needed) {
        if (std::get<EventKind>(key) == EventKind::Part)
            continue; // a CPU's tiles may be too short to be told
        EXPECT_EQ(found.contains(key) ? found.at(key) : 0, count)
            << "rank " << std::get<0>(key) << " kind " << static_cast<int>(std::get<1>(key)) << " step "
            << std::get<2>(key) << " block " << std::get<3>(key);
    }
    std::map<int, std::int64_t> last_end;
    int parts = 0;
    for (const TelemetryEvent& event : on_gpu.telemetry) {
        EXPECT_LE(event.start_ns, event.end_ns);
        EXPECT_GE(event.wait_ns, 0);
        EXPECT_LE(event.wait_ns, event.end_ns - event.start_ns);
        parts += event.kind == EventKind::Part;
        if (event.kind != EventKind::Block) continue;
        EXPECT_GE(event.start_ns, last_end[event.rank]);
        last_end[event.rank] = event.end_ns;
    }
    EXPECT_GT(parts, 0);
    EXPECT_EQ(on_gpu.last().report.bytes_by_axis, on_cpu.last().report.bytes_by_axis);
}

} // namespace
} // namespace reelmesh::testing
