// The queue of the real engine: order, gate, what is kept, and an end while questions are open.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "support/engine_fixture.h"

namespace reelmesh::testing {
namespace {

constexpr int kLongSteps = 1000;
constexpr std::chrono::seconds kHangGuard{60};

/// Drains until the condition holds.
class Watch : public EventSink {
public:
    using EventSink::on;
    void on(const JobStateChanged& event) override {
        if (event.state == JobState::Running && states_[event.job] == JobState::Pending)
            started.push_back(event.job);
        states_[event.job] = event.state;
        reports_[event.job] = event.report;
    }
    void on(const StepDone& event) override { steps_[event.job] = event.step + 1; }

    template <class Condition>
    ::testing::AssertionResult until(Engine& engine, Condition condition) {
        const auto end = std::chrono::steady_clock::now() + kHangGuard;
        while (!condition()) {
            if (std::chrono::steady_clock::now() > end) return ::testing::AssertionFailure() << "hangs";
            engine.drain(*this, std::chrono::milliseconds(10));
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        return ::testing::AssertionSuccess();
    }
    JobState state(JobId job) { return states_[job]; }
    bool ended(JobId job) {
        return state(job) == JobState::Done || state(job) == JobState::Failed ||
               state(job) == JobState::Canceled;
    }
    int steps(JobId job) { return steps_[job]; }
    const JobReport& report(JobId job) { return reports_[job]; }

    std::vector<JobId> started;

private:
    std::map<JobId, JobState> states_;
    std::map<JobId, int> steps_;
    std::map<JobId, JobReport> reports_;
};

class QueueTest : public EngineFixture {
protected:
    JobId submit(const JobRequest& request, const RunOptions& options = no_output()) {
        const Result<JobId> job = engine_.submit(request, options);
        EXPECT_TRUE(job) << error_message(job.error());
        return job ? *job : 0;
    }
    static JobRequest endless() {
        JobRequest request = tiny_request();
        request.steps = kLongSteps;
        return request;
    }
    Watch watch_;
};

TEST_F(QueueTest, MovedJobsRunInTheirNewOrder) {
    const JobId first = submit(endless());
    ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.steps(first) > 0; }));
    const JobId a = submit(tiny_request()), b = submit(tiny_request()), c = submit(tiny_request());
    engine_.move(c, 0);
    engine_.move(a, 99);
    engine_.move(first, 2); // it runs: nothing changes
    engine_.move(12345, 0); // unknown: nothing changes
    engine_.cancel(first);
    ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.ended(a) && watch_.ended(b) && watch_.ended(c); }));
    EXPECT_EQ(watch_.started, (std::vector<JobId>{first, c, b, a}));
}

TEST_F(QueueTest, HeldGateStartsNoJobAndOpeningItDoes) {
    engine_.set_queue_gate(QueueGate::Held);
    const JobId job = submit(tiny_request());
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    engine_.drain(watch_, std::chrono::milliseconds(10));
    EXPECT_EQ(watch_.state(job), JobState::Pending);
    // What a question needs runs all the same.
    const auto parity = engine_.parity(tiny_request(), no_output(), "cfg2", "single").get();
    EXPECT_TRUE(parity) << error_message(parity.error());
    EXPECT_EQ(watch_.state(job), JobState::Pending);
    engine_.set_queue_gate(QueueGate::Open);
    EXPECT_TRUE(watch_.until(engine_, [&] { return watch_.state(job) == JobState::Done; }));
}

TEST_F(QueueTest, FailureHoldsTheQueueWhereThatWasAsked) {
    engine_.set_queue_gate(QueueGate::UntilFailure);
    JobRequest broken = tiny_request();
    RunOptions options = no_output();
    options.initial_latents = path("missing.safetensors");
    const JobId first = submit(broken, options), second = submit(tiny_request());
    ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.state(first) == JobState::Failed; }));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    engine_.drain(watch_, std::chrono::milliseconds(10));
    EXPECT_EQ(watch_.state(second), JobState::Pending);
    EXPECT_EQ(engine_.queue_gate(), QueueGate::Held);
    engine_.set_queue_gate(QueueGate::UntilFailure);
    EXPECT_TRUE(watch_.until(engine_, [&] { return watch_.state(second) == JobState::Done; }));
}

TEST_F(QueueTest, ForgottenJobIsGoneARunningOneStays) {
    const JobId running = submit(endless());
    ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.steps(running) > 1; }));
    engine_.forget(running);
    EXPECT_TRUE(engine_.resolved(running));
    EXPECT_GE(engine_.preview(running, 1).step, 0);
    engine_.cancel(running);
    ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.ended(running); }));
    EXPECT_GE(engine_.preview(running, 1).step, 0);
    engine_.forget(running);
    EXPECT_FALSE(engine_.resolved(running));
    EXPECT_EQ(engine_.preview(running, 1).step, -1);
}

TEST_F(QueueTest, EachOfTwoJobsRunsOnItsOwnMesh) {
    JobRequest first = tiny_request(), second = tiny_request();
    first.mesh = "cfg2";
    second.mesh = "ulysses2";
    const JobId a = submit(first), b = submit(second);
    ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.ended(a) && watch_.ended(b); }));
    ASSERT_TRUE(engine_.plan_of(a) && engine_.plan_of(b));
    EXPECT_EQ(engine_.plan_of(a)->mesh, "cfg2");
    EXPECT_EQ(engine_.plan_of(b)->mesh, "ulysses2");
    EXPECT_EQ(watch_.report(a).mesh, "cfg2");
    EXPECT_EQ(watch_.report(b).mesh, "ulysses2");
}

TEST_F(QueueTest, PausedJobCanBeCanceledOrDecoded) {
    for (const bool decode : {false, true}) {
        const JobId job = submit(endless());
        ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.steps(job) > 1; }));
        engine_.pause(job);
        ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.state(job) == JobState::Paused; }));
        decode ? engine_.stop_and_decode(job) : engine_.cancel(job);
        ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.ended(job); }));
        EXPECT_EQ(watch_.state(job), decode ? JobState::Done : JobState::Canceled);
        EXPECT_EQ(watch_.report(job).partial, decode);
    }
}

TEST_F(QueueTest, PartialResultSaysSoInNameReportAndNotice) {
    JobRequest request = endless();
    request.output.path = folder_.string();
    const JobId job = submit(request, {});
    ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.steps(job) > 1; }));
    engine_.stop_and_decode(job);
    ASSERT_TRUE(watch_.until(engine_, [&] { return watch_.ended(job); }));
    const JobReport& report = watch_.report(job);
    EXPECT_TRUE(report.partial);
    EXPECT_NE(report.output.find("_partial.mp4"), std::string::npos) << report.output;
    const auto clip = engine_.load_media(report.output).get();
    ASSERT_TRUE(clip) << error_message(clip.error());
    EXPECT_EQ(clip->frames.size(), 5U);
    // The settings inside make the whole clip.
    EXPECT_EQ(job_from_json(clip->job_json, "clip")->steps, kLongSteps);
}

TEST(EngineEndTest, OpenQuestionsEndPromptly) {
    auto engine = std::make_unique<EngineImpl>(EngineOptions{REELMESH_RESOURCES});
    JobRequest request;
    request.model = std::string(REELMESH_TEST_DATA) + "/goldens/models/wan21-t2v";
    request.width = request.height = 32;
    request.frames = 5;
    request.steps = kLongSteps;
    auto parity = engine->parity(request, {}, "cfg2", "single");
    ExportRequest frames;
    const std::shared_ptr<std::byte[]> bytes(new std::byte[64 * 64 * 3]());
    frames.frames.assign(100'000, {64, 64, PixelFormat::Rgb8, 64 * 3, bytes});
    frames.settings.output.path = "/tmp";
    const auto control = std::make_shared<ExportControl>();
    auto exported = engine->export_media(frames, control);
    while (control->written < 10)
        std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const auto begin = std::chrono::steady_clock::now();
    engine.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5 * 5));
    const auto parity_result = parity.get();
    const auto export_result = exported.get();
    ASSERT_FALSE(parity_result);
    EXPECT_EQ(parity_result.error().code, ErrorCode::Canceled);
    ASSERT_FALSE(export_result);
    EXPECT_EQ(export_result.error().code, ErrorCode::Canceled);
}

TEST(EngineEndTest, AfterShutDownNothingStarts) {
    EngineImpl engine(EngineOptions{REELMESH_RESOURCES});
    engine.shut_down();
    JobRequest request;
    request.prompt = "late";
    RunOptions options;
    options.write_output = false;
    const auto job = engine.submit(request, options);
    ASSERT_FALSE(job);
    EXPECT_EQ(job.error().code, ErrorCode::Canceled);
}

} // namespace
} // namespace reelmesh::testing
