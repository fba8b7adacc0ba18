#include "device/load_sampler.h"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>

#include "device/no_gpu_reason.h"
#include "device/process_load.h"

namespace reelmesh {
namespace {

using std::chrono::milliseconds;

/// What GPUs that answer as they should need, without PCIe counters.
constexpr milliseconds kDeviceWait{100};
/// From a baseline to the first shares of time.
constexpr milliseconds kFirstSpan{100};
constexpr std::chrono::seconds kPciePeriod{1};

} // namespace

LoadSampler::LoadSampler(Sink sink, std::string nvml_library)
    : sink_(std::move(sink)), nvml_library_(std::move(nvml_library)), thread_([this] { loop(); }) {}

LoadSampler::~LoadSampler() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void LoadSampler::watch(LoadWatch watch) {
    {
        const std::lock_guard lock(mutex_);
        watch_ = watch;
    }
    changed_.notify_all();
}

void LoadSampler::job_began() {
    {
        const std::lock_guard lock(mutex_);
        ++jobs_;
    }
    changed_.notify_all();
}

void LoadSampler::job_ended() {
    const std::lock_guard lock(mutex_);
    --jobs_;
}

void LoadSampler::loop() {
    pthread_setname_np(pthread_self(), "load");
    DeviceReader devices(nvml_library_);
    ProcessLoad process;
    Clock::time_point last_sample{}, last_pcie{};
    std::unique_lock lock(mutex_);
    while (true) {
        if (!active() && !ending_) {
            changed_.wait(lock, [this] { return ending_ || active(); });
            lock.unlock();
            process.read();
            lock.lock();
            const auto first = std::max(last_sample + kRunningPeriod, Clock::now() + kFirstSpan);
            changed_.wait_until(lock, first, [this] { return ending_; });
        }
        if (ending_) return;
        if (!active()) continue;
        lock.unlock();

        const Clock::time_point now = Clock::now();
        LoadSample sample;
        sample.time_ns = now.time_since_epoch() / std::chrono::nanoseconds(1);
        const bool pcie = now - last_pcie >= kPciePeriod;
        if (pcie) last_pcie = now;
        DeviceReading reading = devices.read(pcie ? PcieRead::Measure : PcieRead::Skip, kDeviceWait);
        sample.devices = std::move(reading.devices);
        sample.driver = reading.driver.driver;
        sample.no_gpu_reason =
            no_gpu_reason(cuda_part(), reading.driver, std::getenv("CUDA_VISIBLE_DEVICES"));
        ProcessLoad::Reading load = process.read();
        sample.ranks = std::move(load.ranks);
        sample.machine = load.machine;
        sink_(std::move(sample));
        last_sample = now;

        lock.lock();
        // A job that begins or ends moves the next turn.
        const auto due = [&] { return last_sample + (jobs_ > 0 ? kRunningPeriod : kIdlePeriod); };
        while (!ending_ && active() && Clock::now() < due())
            changed_.wait_until(lock, due());
    }
}

} // namespace reelmesh
