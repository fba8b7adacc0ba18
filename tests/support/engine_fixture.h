// The real engine without Qt, and a job run to its end.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "jobs/engine_impl.h"

namespace reelmesh::testing {

/// All that a job told.
struct JobOutcome : EventSink {
    using EventSink::on;
    void on(const JobStateChanged& event) override {
        if (event.job != job) return;
        state = event.state;
        states.push_back(event);
        if (event.state == JobState::Done || event.state == JobState::Failed ||
            event.state == JobState::Canceled)
            ended = true;
        if (at_state) at_state(event);
    }
    void on(const StepDone& event) override {
        if (event.job != job) return;
        steps.push_back(event);
        if (at_step) at_step(event);
    }
    void on(const FramesDecoded& event) override {
        if (event.job == job) frames.insert(frames.end(), event.frames.begin(), event.frames.end());
    }
    void on(const PreviewReady& event) override {
        if (event.job == job) previews.push_back(event.step);
    }
    void on(JobId, const std::vector<TelemetryEvent>& batch, std::uint64_t) override {
        telemetry.insert(telemetry.end(), batch.begin(), batch.end());
    }
    const JobStateChanged& last() const { return states.back(); }

    JobId job = 0;
    JobState state = JobState::Pending;
    bool ended = false;
    std::vector<JobStateChanged> states;
    std::vector<StepDone> steps;
    std::vector<Frame> frames;
    std::vector<int> previews;
    std::vector<TelemetryEvent> telemetry;
    std::function<void(const StepDone&)> at_step;
    std::function<void(const JobStateChanged&)> at_state;
};

class EngineFixture : public ::testing::Test {
protected:
    explicit EngineFixture(EngineTuning tuning = {}) : engine_({REELMESH_RESOURCES}, std::move(tuning)) {
        engine_.set_wakeup([this] {
            const std::lock_guard lock(mutex_);
            woken_ = true;
            changed_.notify_one();
        });
    }

    void SetUp() override {
        folder_ =
            std::filesystem::temp_directory_path() /
            (std::string("reelmesh ") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
        std::filesystem::remove_all(folder_);
        std::filesystem::create_directories(folder_);
    }
    void TearDown() override {
        if (!HasFailure()) std::filesystem::remove_all(folder_);
    }

    std::string path(const std::string& name) const { return (folder_ / name).string(); }
    static std::string golden(const std::string& name) {
        return std::string(REELMESH_TEST_DATA) + "/goldens/" + name;
    }

    /// Small, quick, legal for the golden text-to-video model.
    static JobRequest tiny_request() {
        JobRequest request;
        request.model = golden("models/wan21-t2v");
        request.prompt = "A red fox";
        request.width = 32;
        request.height = 32;
        request.frames = 5;
        request.steps = 3;
        request.guidance = 5.0;
        request.seed = 11;
        return request;
    }

    /// Submits and drains until the job has ended.
    JobOutcome run(const JobRequest& request, const RunOptions& options = no_output()) {
        JobOutcome outcome;
        follow(request, options, outcome);
        return outcome;
    }

    void follow(const JobRequest& request, const RunOptions& options, JobOutcome& outcome) {
        const Result<JobId> job = engine_.submit(request, options);
        ASSERT_TRUE(job) << error_message(job.error());
        outcome.job = *job;
        while (!outcome.ended) {
            {
                std::unique_lock lock(mutex_);
                ASSERT_TRUE(changed_.wait_for(lock, std::chrono::minutes(5), [this] { return woken_; }));
                woken_ = false;
            }
            while (engine_.drain(outcome, std::chrono::milliseconds(100))) {
            }
        }
    }

    /// What a job leaves in the file of one --save option.
    std::string saved_bytes(const JobRequest& request, std::string RunOptions::*option) {
        RunOptions options = no_output();
        options.*option = path("saved.safetensors");
        EXPECT_EQ(run(request, options).state, JobState::Done);
        return file_bytes(options.*option);
    }

    static std::string file_bytes(const std::string& file) {
        std::ifstream stream(file, std::ios::binary);
        return {std::istreambuf_iterator<char>(stream), {}};
    }

    static RunOptions no_output() {
        RunOptions options;
        options.write_output = false;
        return options;
    }

    EngineImpl engine_;
    std::filesystem::path folder_;

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool woken_ = false;
};

} // namespace reelmesh::testing
