// What a plan says that a card needs against what is allocated there. Simulated cards count every byte that
// the engine asks for, but have no driver and no library workspaces: the plan's base is left out.
#include <gtest/gtest.h>

#include "device/cuda_backend.h"
#include "support/engine_fixture.h"
#include "support/wide_model.h"

namespace reelmesh::testing {
namespace {

struct MemoryCase {
    const char* name;
    const char* model; ///< "": the sample model; "wide": of 1.3B's width
    std::int64_t width, height, frames;
    const char* mesh; ///< a card a rank
    const char* dtype;
};

class GpuMemoryTest : public EngineFixture, public ::testing::WithParamInterface<MemoryCase> {
protected:
    void SetUp() override {
        EngineFixture::SetUp();
        ASSERT_TRUE(cuda_part().backend) << cuda_part().reason;
    }
};

TEST_P(GpuMemoryTest, APlanIsNotBelowWhatACardHoldsAndLittleAbove) {
    const MemoryCase& made = GetParam();
    JobRequest job = tiny_request();
    job.model = made.model;
    if (job.model == "wide") write_wide_model(job.model = path("wide"), /*layers=*/1);
    job.width = made.width;
    job.height = made.height;
    job.frames = made.frames;
    job.mesh = made.mesh;
    job.dtype = made.dtype;
    job.steps = 1;
    if (job.mesh != "cfg2") job.guidance = 1;
    job.devices = job.mesh == "single" ? std::vector<std::string>{"cuda:0"}
                                       : std::vector<std::string>{"cuda:0", "cuda:1"};
    const JobOutcome outcome = run(job);
    ASSERT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
    const auto plan = engine_.plan_of(outcome.job);
    ASSERT_TRUE(plan);
    const std::vector<std::uint64_t>& peaks = outcome.last().report.peak_bytes;
    ASSERT_EQ(peaks.size(), job.devices.size() + 1);
    for (std::size_t rank = 0; rank < job.devices.size(); ++rank) {
        const auto stated = static_cast<double>(plan->shares[rank].peak_bytes - plan->memory.base);
        const auto measured = static_cast<double>(peaks[rank + 1]);
        std::cout << "[ MEASURED ] rank " << rank << ": plan " << stated / (1 << 20) << " MiB, "
                  << stated / measured << " of the peak\n";
        EXPECT_GE(stated, measured);
        EXPECT_LE(stated, 1.25 * measured);
    }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, GpuMemoryTest,
    ::testing::Values(MemoryCase{"SampleSquare", "", 256, 256, 9, "single", "fp32"},
                      MemoryCase{"SampleWide", "", 640, 384, 5, "single", "fp32"},
                      MemoryCase{"SampleBands", "", 512, 512, 5, "ulysses2", "fp32"},
                      MemoryCase{"SampleGuidance", "", 512, 512, 5, "cfg2", "fp32"},
                      MemoryCase{"WideModel", "wide", 256, 256, 5, "single", "fp32"},
                      MemoryCase{"WideModelRounded", "wide", 256, 256, 5, "single", "bf16"},
                      // Long enough for the transformer to need more than the decoder.
                      MemoryCase{"Long", "wide", 256, 256, 33, "single", "fp32"},
                      MemoryCase{"LongRounded", "wide", 256, 256, 33, "single", "bf16"},
                      MemoryCase{"LongUlysses", "wide", 256, 256, 33, "ulysses2", "fp32"},
                      MemoryCase{"LongRing", "wide", 256, 256, 33, "ring2", "fp32"},
                      MemoryCase{"LongTensor", "wide", 256, 256, 33, "tp2", "fp32"},
                      MemoryCase{"LongGuidance", "wide", 256, 256, 33, "cfg2", "fp32"}),
    [](const auto& info) { return info.param.name; });

} // namespace
} // namespace reelmesh::testing
