// What the engine tells beside its jobs: who is busy, and what happened, in words.
#include <gmock/gmock.h>

#include <dirent.h>

#include <cmath>
#include <map>

#include "support/engine_fixture.h"

namespace reelmesh {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using testing::JobOutcome;
using ::testing::StartsWith;

struct Told : JobOutcome {
    using JobOutcome::on;
    void on(const LogLine& line) override { lines.push_back(line); }
    void on(const LoadSample& sample) override { samples.push_back(sample); }
    std::vector<std::string> texts(LogLevel level) const {
        std::vector<std::string> texts;
        for (const LogLine& line : lines)
            if (line.level == level) texts.push_back(line.text);
        return texts;
    }
    std::vector<LogLine> lines;
    std::vector<LoadSample> samples;
};

class LoadAndLogTest : public testing::EngineFixture {};

TEST_F(LoadAndLogTest, AJobTellsItsLifeInWords) {
    JobRequest request = tiny_request();
    request.mesh = "ulysses2";
    request.ranks = 2;
    Told told;
    follow(request, no_output(), told);
    ASSERT_EQ(told.state, JobState::Done);
    const std::vector<std::string> info = told.texts(LogLevel::Info);
    EXPECT_THAT(info, Contains("queued: 32x32, 5 frames, 3 steps, seed 11"));
    EXPECT_THAT(info, Contains(StartsWith("mesh ulysses2 ready, 2 ranks, ")));
    EXPECT_THAT(info, Contains(HasSubstr("prompt: ")));
    EXPECT_THAT(info, Contains(StartsWith("step 1/3: ")));
    EXPECT_THAT(info, Contains(HasSubstr(" per rank"))); // ranks exchanged something
    EXPECT_THAT(info, Contains(StartsWith("done: load ")));
    // A line before each phase explains a kill, which gives no warning.
    for (const char* phase : {"load", "text", "denoise", "decode"})
        EXPECT_THAT(info, Contains(StartsWith(std::string(phase) + " begins, ")));
    EXPECT_THAT(told.lines, Contains(Field(&LogLine::job, told.job)));
    EXPECT_THAT(told.texts(LogLevel::Error), ::testing::IsEmpty());
}

TEST_F(LoadAndLogTest, WhatAJobsReportNotesIsAWarning) {
    JobRequest request = tiny_request();
    request.model = golden("models/wan21-t2v");
    request.preview = "fast";
    Told told;
    follow(request, no_output(), told);
    EXPECT_EQ(told.texts(LogLevel::Warning), told.last().report.notices);
}

/// CPU seconds of the threads of each rank by the kernel's finer clock, as `top -H` sums them.
std::map<std::string, double> rank_seconds() {
    std::map<std::string, double> seconds;
    DIR* folder = opendir("/proc/self/task");
    while (const dirent* entry = folder ? readdir(folder) : nullptr) {
        const std::string task = std::string("/proc/self/task/") + entry->d_name;
        std::string name;
        std::getline(std::ifstream(task + "/comm") >> std::ws, name);
        double run_ns = 0;
        std::ifstream(task + "/schedstat") >> run_ns;
        if (name.starts_with("rank ")) seconds[name] += run_ns * 1e-9;
    }
    if (folder) closedir(folder);
    return seconds;
}

TEST_F(LoadAndLogTest, RanksOfARunningJobAgreeWithTheKernel) {
    JobRequest request = tiny_request();
    request.mesh = "ulysses2";
    request.ranks = 2;
    request.frames = 17;
    request.width = request.height = 128;
    request.steps = 1000; // far more than are needed: it is cut short
    request.preview = "off";
    RunOptions options = no_output();
    options.threads = 4; // two threads a rank: OpenMP's count as the rank's own

    // Between two samples, the kernel's seconds beside ours.
    struct Compared : Told {
        using Told::on;
        void on(const LoadSample& sample) override {
            const std::map<std::string, double> now = rank_seconds();
            if (!samples.empty() && sample.ranks.size() == 2 && before.size() == 2) {
                const double span_s = double(sample.time_ns - samples.back().time_ns) * 1e-9;
                for (const RankLoad& rank : sample.ranks) {
                    if (std::isnan(rank.cores)) continue;
                    const std::string name = "rank " + std::to_string(rank.rank);
                    ours[name] += rank.cores * span_s;
                    kernels[name] += now.at(name) - before.at(name);
                    threads = std::max(threads, rank.threads);
                }
                wall_s += span_s;
            }
            before = now;
            Told::on(sample);
            if (wall_s > 3 && cancel) cancel();
        }
        std::map<std::string, double> before, ours, kernels;
        std::function<void()> cancel;
        double wall_s = 0;
        int threads = 0;
    } told;
    told.cancel = [&] { engine_.cancel(told.job); };
    follow(request, options, told);
    ASSERT_GT(told.wall_s, 1) << "too short to compare";
    ASSERT_EQ(told.ours.size(), 2U);
    for (const auto& [name, seconds] : told.ours) {
        EXPECT_GT(told.kernels[name], 0.1);
        // Ten points of each thread.
        EXPECT_NEAR(seconds / told.wall_s, told.kernels[name] / told.wall_s, 0.1 * told.threads) << name;
    }
    EXPECT_EQ(told.threads, 2);
    for (std::size_t i = 1; i < told.samples.size(); ++i)
        EXPECT_GE(told.samples[i].time_ns - told.samples[i - 1].time_ns, 249'000'000);
}

TEST_F(LoadAndLogTest, WithoutAJobSamplesComeOnlyWhileSomebodyLooks) {
    Told told;
    const auto wait = [&](int milliseconds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
        while (std::chrono::steady_clock::now() < end) {
            engine_.drain(told, std::chrono::milliseconds(4));
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
    };
    wait(500);
    EXPECT_EQ(told.samples.size(), 0U);
    engine_.watch_load(LoadWatch::Visible);
    for (int i = 0; i < 600 && told.samples.empty(); ++i)
        wait(100);
    ASSERT_FALSE(told.samples.empty());
    EXPECT_GT(told.samples.back().machine.resident_bytes, 0);
    engine_.watch_load(LoadWatch::None);
    wait(200);
    const std::size_t then = told.samples.size();
    wait(1300);
    EXPECT_EQ(told.samples.size(), then);
}

TEST(LogFileOfTheEngine, HoldsEveryLine) {
    const std::string file = (std::filesystem::temp_directory_path() / "reelmesh log file test.log").string();
    std::filesystem::remove(file);
    {
        EngineOptions options{REELMESH_RESOURCES};
        options.log_file = file;
        EngineImpl engine(options);
        JobRequest request;
        request.prompt = "a ball";
        RunOptions run;
        run.write_output = false;
        const Result<JobId> job = engine.submit(request, run);
        ASSERT_TRUE(job) << error_message(job.error());
        engine.cancel(*job);
    }
    std::ifstream stream(file);
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    EXPECT_THAT(text, HasSubstr(" info job 1 queued: "));
    std::filesystem::remove(file);
}

} // namespace
} // namespace reelmesh
