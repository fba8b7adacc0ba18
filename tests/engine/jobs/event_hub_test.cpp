#include "jobs/event_hub.h"

#include <gtest/gtest.h>

#include <thread>

namespace reelmesh {
namespace {

using std::chrono::milliseconds;

struct Seen : EventSink {
    using EventSink::on;
    void on(const StepDone& done) override { steps.push_back(done.step); }
    void on(const StageProgress& value) override { progress.push_back(value.done); }
    void on(const PreviewReady& ready) override { previews.push_back(ready.step); }
    void on(JobId, const std::vector<TelemetryEvent>& batch, std::uint64_t lost) override {
        events += batch.size();
        dropped += lost;
    }
    void on(const LogLine& line) override { lines.push_back(line); }
    void on(const LoadSample& sample) override { samples.push_back(sample.time_ns); }
    std::vector<int> steps, previews;
    std::vector<LogLine> lines;
    std::vector<std::int64_t> samples;
    std::vector<double> progress;
    std::size_t events = 0;
    std::uint64_t dropped = 0;
};

StepDone step_of(int step) {
    StepDone done;
    done.job = 1;
    done.step = step;
    return done;
}

TEST(EventHubTest, LifecycleIsNeverLostAndPreviewsAreLatestWins) {
    EventHub hub;
    int wakes = 0;
    hub.set_wakeup([&] { ++wakes; });
    for (int i = 0; i < 1000; ++i) {
        hub.post(step_of(i));
        hub.post(PreviewReady{1, i});
    }
    Seen seen;
    EXPECT_FALSE(hub.drain(seen, milliseconds(1000)));
    ASSERT_EQ(seen.steps.size(), 1000U);
    for (int i = 0; i < 1000; ++i)
        EXPECT_EQ(seen.steps[static_cast<std::size_t>(i)], i);
    EXPECT_EQ(seen.previews, std::vector<int>{999});
    EXPECT_EQ(wakes, 2000);
}

TEST(EventHubTest, ProgressOfOneStageReplacesItself) {
    EventHub hub;
    for (int i = 1; i <= 5; ++i)
        hub.post(StageProgress{1, Stage::Load, static_cast<double>(i), 5, -1});
    hub.post(StageProgress{1, Stage::Decode, 1, 5, -1});
    Seen seen;
    hub.drain(seen, milliseconds(1000));
    EXPECT_EQ(seen.progress, (std::vector<double>{5, 1}));
}

TEST(EventHubTest, TelemetryDropsTheOldestAndCounts) {
    EventHub hub;
    const std::vector<TelemetryEvent> batch(40000);
    hub.post(1, batch, 3);
    hub.post(1, batch, 0);
    Seen seen;
    hub.drain(seen, milliseconds(1000));
    EXPECT_EQ(seen.events, 65536U);
    EXPECT_EQ(seen.dropped, 80000U - 65536U + 3);
}

TEST(EventHubTest, OfLoadSamplesTheLatestWins) {
    EventHub hub;
    for (int i = 1; i <= 3; ++i) {
        LoadSample sample;
        sample.time_ns = i;
        hub.post(sample);
    }
    Seen seen;
    hub.drain(seen, milliseconds(1000));
    hub.drain(seen, milliseconds(1000));
    EXPECT_EQ(seen.samples, std::vector<std::int64_t>{3});
}

TEST(EventHubTest, AFloodOfLinesIsFoldedIntoOneThatCountsThem) {
    EventHub hub;
    int wakes = 0;
    hub.set_wakeup([&] { ++wakes; });
    const auto post = [&](int count) {
        for (int i = 0; i < count; ++i)
            hub.post(LogLine{i == 700 ? LogLevel::Error : LogLevel::Info, i, 1, std::to_string(i)});
    };
    post(1000);
    Seen seen;
    EXPECT_TRUE(hub.drain(seen, milliseconds(1000)));
    EXPECT_LE(seen.lines.size(), 50U); // not all in one go
    while (hub.drain(seen, milliseconds(1000))) {
    }
    ASSERT_EQ(seen.lines.size(), std::size_t{EventHub::kLinesPerSecond});
    EXPECT_EQ(seen.lines[198].text, "198");
    EXPECT_EQ(seen.lines.back().text, "801 more lines at once: left out here");
    EXPECT_EQ(seen.lines.back().level, LogLevel::Error); // the worst of them
    EXPECT_EQ(seen.lines.back().time_ms, 999);
    EXPECT_EQ(wakes, EventHub::kLinesPerSecond);
    // Within the same second nothing more comes, afterwards the count of what was left out meanwhile.
    post(10);
    hub.drain(seen, milliseconds(1000));
    EXPECT_EQ(seen.lines.size(), std::size_t{EventHub::kLinesPerSecond});
    std::this_thread::sleep_for(milliseconds(1100));
    post(1);
    hub.drain(seen, milliseconds(1000));
    ASSERT_EQ(seen.lines.size(), std::size_t{EventHub::kLinesPerSecond} + 2);
    EXPECT_EQ(seen.lines.back().text, "10 more lines at once: left out here");
}

TEST(EventHubTest, BudgetEndsADrainAndTheRestComesNext) {
    EventHub hub;
    for (int i = 0; i < 10; ++i)
        hub.post(step_of(i));
    struct Slow : Seen {
        using Seen::on;
        void on(const StepDone& done) override {
            Seen::on(done);
            std::this_thread::sleep_for(milliseconds(3));
        }
    } seen;
    EXPECT_TRUE(hub.drain(seen, milliseconds(5)));
    EXPECT_LT(seen.steps.size(), 10U);
    while (hub.drain(seen, milliseconds(5))) {
    }
    EXPECT_EQ(seen.steps.size(), 10U);
}

} // namespace
} // namespace reelmesh
