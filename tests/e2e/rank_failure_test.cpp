// A value that is not finite fails the job by name, writes nothing, and the next job runs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <limits>
#include <thread>

#include "support/engine_fixture.h"
#include "weights/tensor_io.h"

namespace reelmesh::testing {
namespace {

class RankFailureTest : public EngineFixture {
protected:
    void await_load_sample();
    std::size_t num_descriptors() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
            ++count;
        return count;
    }
    std::size_t num_threads() const {
        std::size_t count = 0;
        for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task"))
            ++count;
        return count;
    }

    /// Initial latents with one bad value.
    std::string poisoned(float value) const {
        at::Tensor latents = at::randn({1, 16, 2, 4, 4});
        latents[0][3][1][2][2] = value;
        const std::string file = path("poisoned.safetensors");
        write_tensors(file, {{"latents", latents}});
        return file;
    }
};

TEST_F(RankFailureTest, NotFiniteInTheLoopNamesStepAndTensor) {
    for (const float value :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()})
        for (const std::string mesh : {"single", "cfg2"}) {
            JobRequest request = tiny_request();
            request.mesh = mesh;
            request.output.path = path("never.mp4");
            RunOptions options;
            options.threads = 2;
            options.initial_latents = poisoned(value);
            const JobOutcome outcome = run(request, options);
            EXPECT_EQ(outcome.state, JobState::Failed);
            const Error& error = outcome.last().error;
            EXPECT_EQ(error.code, ErrorCode::NotFinite) << error_message(error);
            EXPECT_EQ(error.stage, Stage::Denoise);
            EXPECT_EQ(error.step, 0);
            EXPECT_NE(error.text("tensor").find("velocity"), std::string::npos);
            EXPECT_FALSE(std::filesystem::exists(path("never.mp4")));
        }
}

TEST_F(RankFailureTest, NotFiniteInTheDecoderWritesNothing) {
    RunOptions options;
    options.from_latents = poisoned(std::numeric_limits<float>::quiet_NaN());
    JobRequest request = tiny_request();
    request.output.path = path("never.mp4");
    const JobOutcome outcome = run(request, options);
    EXPECT_EQ(outcome.last().error.code, ErrorCode::NotFinite);
    EXPECT_EQ(outcome.last().error.stage, Stage::Decode);
    std::filesystem::remove(path("poisoned.safetensors"));
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
}

/// The first one opens what the driver needs, for good.
void RankFailureTest::await_load_sample() {
    struct Sampled : EventSink {
        using EventSink::on;
        void on(const LoadSample&) override { seen = true; }
        bool seen = false;
    } sampled;
    engine_.watch_load(LoadWatch::Visible);
    for (int i = 0; i < 6000 && !sampled.seen; ++i) {
        engine_.drain(sampled, std::chrono::milliseconds(4));
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    engine_.watch_load(LoadWatch::None);
    ASSERT_TRUE(sampled.seen);
}

TEST_F(RankFailureTest, RepeatedFailuresLeakNothingAndTheNextJobRuns) {
    JobRequest request = tiny_request();
    request.mesh = "cfg2";
    RunOptions bad = no_output();
    bad.threads = 2;
    bad.initial_latents = poisoned(std::numeric_limits<float>::quiet_NaN());
    RunOptions good = no_output();
    good.threads = 2;
    run(request, bad);
    ASSERT_EQ(run(request, good).state, JobState::Done);
    await_load_sample();
    const std::size_t threads = num_threads(), descriptors = num_descriptors();
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(run(request, bad).state, JobState::Failed);
        EXPECT_EQ(run(request, good).state, JobState::Done);
    }
    EXPECT_EQ(num_threads(), threads);
    EXPECT_EQ(num_descriptors(), descriptors);
}

} // namespace
} // namespace reelmesh::testing
