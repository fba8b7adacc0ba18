// Who is busy, told of the right rank; never more often than asked, and never when nobody looks.
#include "device/load_sampler.h"

#include <gmock/gmock.h>
#include <pthread.h>
#include <time.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "device/process_load.h"
#include "support/driver_script.h"

namespace reelmesh {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kHangGuard{60};

/// A thread named as rank_worker names them, with one of its own that it started, as OpenMP does. Both
/// compute for a share of every 20 ms, 0 ... 1.
class RankThreads {
public:
    RankThreads(int rank, double share) : share_(share) {
        thread_ = std::thread([this, rank] {
            pthread_setname_np(pthread_self(), ("rank " + std::to_string(rank)).c_str());
            std::thread team([this] { work(); });
            work();
            team.join();
        });
    }
    ~RankThreads() {
        stop_ = true;
        thread_.join();
    }
    RankThreads(const RankThreads&) = delete;
    RankThreads& operator=(const RankThreads&) = delete;

    /// CPU seconds of both threads: what the kernel says to the threads themselves.
    double cpu_s() const { return static_cast<double>(cpu_ns_.load()) * 1e-9; }

private:
    void work() {
        std::int64_t told_ns = 0;
        while (!stop_) {
            const auto turn = Clock::now();
            while (!stop_ && Clock::now() - turn < milliseconds(20) * share_) {
            }
            timespec used{};
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
            const std::int64_t now_ns = used.tv_sec * 1'000'000'000LL + used.tv_nsec;
            cpu_ns_ += now_ns - told_ns;
            told_ns = now_ns;
            if (share_ < 1) std::this_thread::sleep_until(turn + milliseconds(20));
        }
    }

    const double share_;
    std::atomic<bool> stop_{false};
    std::atomic<std::int64_t> cpu_ns_{0};
    std::thread thread_;
};

class Samples {
public:
    void add(LoadSample sample) {
        const std::lock_guard lock(mutex_);
        samples_.push_back(std::move(sample));
        changed_.notify_all();
    }
    std::vector<LoadSample> all() {
        const std::lock_guard lock(mutex_);
        return samples_;
    }
    bool wait_for(std::size_t count) {
        std::unique_lock lock(mutex_);
        return changed_.wait_for(lock, kHangGuard, [&] { return samples_.size() >= count; });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<LoadSample> samples_;
};

TEST(ProcessLoadTest, NamesOfRankThreadsAreRead) {
    EXPECT_EQ(rank_of_thread("rank 0"), 0);
    EXPECT_EQ(rank_of_thread("rank 12"), 12);
    for (const char* other : {"rank", "rank ", "rank x", "rank 1b", "rank -1", "ranks 1", "control"})
        EXPECT_EQ(rank_of_thread(other), std::nullopt) << other;
}

TEST(ProcessLoadTest, TheFirstReadingKnowsNoSharesButMemory) {
    const ProcessLoad::Reading reading = ProcessLoad().read();
    EXPECT_TRUE(std::isnan(reading.machine.process_cores));
    EXPECT_TRUE(std::isnan(reading.machine.cores_busy));
    EXPECT_GE(reading.machine.cores, 1);
    EXPECT_GT(reading.machine.resident_bytes, 1e6);
    EXPECT_GT(reading.machine.available_bytes, 1e6);
    EXPECT_GE(reading.machine.limit_bytes, reading.machine.available_bytes);
}

/// Against what the threads themselves are told of their time. A machine with other work gives them little,
/// so it is their time that counts, not the clock's.
TEST(ProcessLoadTest, RanksWithTheThreadsTheyStartAgreeWithTheirClocks) {
    constexpr double kEnough_s = 1;
    const RankThreads idle(0, 0), busy(3, 1);
    std::this_thread::sleep_for(milliseconds(100));
    ProcessLoad load;
    load.read();
    const double idle_before_s = idle.cpu_s(), busy_before_s = busy.cpu_s();
    double idle_s = 0, busy_s = 0;
    auto last = Clock::now();
    const auto hang_guard = last + kHangGuard;
    while (busy.cpu_s() - busy_before_s < kEnough_s && last < hang_guard) {
        std::this_thread::sleep_for(milliseconds(250));
        const ProcessLoad::Reading reading = load.read();
        const double seconds = std::chrono::duration<double>(Clock::now() - last).count();
        last = Clock::now();
        ASSERT_EQ(reading.ranks.size(), 2U);
        EXPECT_EQ(reading.ranks[0].rank, 0);
        EXPECT_EQ(reading.ranks[1].rank, 3);
        EXPECT_EQ(reading.ranks[0].threads, 2);
        EXPECT_EQ(reading.ranks[1].threads, 2);
        EXPECT_GE(reading.machine.process_cores, reading.ranks[1].cores - 0.2);
        idle_s += reading.ranks[0].cores * seconds;
        busy_s += reading.ranks[1].cores * seconds;
    }
    // Ten points, and what a turn and a tick may be late.
    EXPECT_NEAR(busy_s, busy.cpu_s() - busy_before_s, 0.1 * kEnough_s + 0.06);
    EXPECT_NEAR(idle_s, idle.cpu_s() - idle_before_s, 0.1 * kEnough_s);
    EXPECT_LT(idle_s, busy_s / 2);
}

TEST(LoadSamplerTest, NothingRunsUntilSomebodyLooksAndNothingAfterwards) {
    Samples samples;
    LoadSampler sampler([&](LoadSample sample) { samples.add(std::move(sample)); }, "libreelmesh_nothing.so");
    std::this_thread::sleep_for(milliseconds(600));
    EXPECT_EQ(samples.all().size(), 0U);
    sampler.watch(LoadWatch::Visible);
    ASSERT_TRUE(samples.wait_for(2));
    sampler.watch(LoadWatch::None);
    std::this_thread::sleep_for(milliseconds(200)); // one may be under way
    const std::size_t then = samples.all().size();
    std::this_thread::sleep_for(milliseconds(1500));
    EXPECT_EQ(samples.all().size(), then);
    EXPECT_NE(samples.all().back().no_gpu_reason, "");
}

void expect_period(const std::vector<LoadSample>& samples, milliseconds period) {
    ASSERT_GE(samples.size(), 2U);
    for (std::size_t i = 1; i < samples.size(); ++i)
        EXPECT_GE(samples[i].time_ns - samples[i - 1].time_ns, std::chrono::nanoseconds(period).count());
}

TEST(LoadSamplerTest, AtMostOnceASecondWhileIdle) {
    Samples samples;
    LoadSampler sampler([&](LoadSample sample) { samples.add(std::move(sample)); }, "libreelmesh_nothing.so");
    sampler.watch(LoadWatch::Visible);
    ASSERT_TRUE(samples.wait_for(3));
    expect_period(samples.all(), LoadSampler::kIdlePeriod);
}

TEST(LoadSamplerTest, AtMostFourTimesASecondWhileJobsRunAlsoUnseen) {
    Samples samples;
    LoadSampler sampler([&](LoadSample sample) { samples.add(std::move(sample)); }, "libreelmesh_nothing.so");
    sampler.job_began();
    sampler.job_began();
    sampler.job_ended();
    ASSERT_TRUE(samples.wait_for(4));
    // Looking and looking away makes it no quicker.
    for (int i = 0; i < 20; ++i) {
        sampler.watch(i % 2 == 0 ? LoadWatch::Visible : LoadWatch::None);
        std::this_thread::sleep_for(milliseconds(20));
    }
    ASSERT_TRUE(samples.wait_for(6));
    expect_period(samples.all(), LoadSampler::kRunningPeriod);
    sampler.job_ended();
    std::this_thread::sleep_for(milliseconds(400));
    const std::size_t then = samples.all().size();
    std::this_thread::sleep_for(milliseconds(800));
    EXPECT_EQ(samples.all().size(), then);
}

TEST(LoadSamplerTest, SamplesBearTheDriversFigures) {
    const testing::DriverScript script(testing::kTwoGpus);
    Samples samples;
    LoadSampler sampler([&](LoadSample sample) { samples.add(std::move(sample)); }, REELMESH_NVML_STUB);
    sampler.watch(LoadWatch::Visible);
    ASSERT_TRUE(samples.wait_for(3));
    const LoadSample last = samples.all().back();
    EXPECT_EQ(last.driver, "550.90.07");
    ASSERT_EQ(last.devices.size(), 2U);
    EXPECT_DOUBLE_EQ(last.devices[1].power_w, 648);
    EXPECT_DOUBLE_EQ(last.devices[1].pcie_tx_bytes_per_s, 2000 * 1024.0);
}

} // namespace
} // namespace reelmesh
