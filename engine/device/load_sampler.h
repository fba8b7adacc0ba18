// Samples the load of devices, ranks and machine on a thread of its own ("load"): four times a second while
// jobs run, once a second while somebody looks, else the thread sleeps. Any thread may call.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "device/device_reader.h"
#include "engine/engine.h"

namespace reelmesh {

class LoadSampler {
public:
    /// Called on the sampler's thread.
    using Sink = std::function<void(LoadSample)>;

    explicit LoadSampler(Sink sink, std::string nvml_library = kNvmlLibrary);
    ~LoadSampler(); ///< at most DeviceReader::kPatience
    LoadSampler(const LoadSampler&) = delete;
    LoadSampler& operator=(const LoadSampler&) = delete;

    void watch(LoadWatch watch);
    /// Of jobs that run; calls nest.
    void job_began();
    void job_ended();

    static constexpr std::chrono::milliseconds kRunningPeriod{250}, kIdlePeriod{1000};

private:
    using Clock = std::chrono::steady_clock;

    bool active() const { return jobs_ > 0 || watch_ == LoadWatch::Visible; }
    void loop();

    const Sink sink_;
    const std::string nvml_library_;
    std::mutex mutex_; // guards all below but the thread
    std::condition_variable changed_;
    LoadWatch watch_ = LoadWatch::None;
    int jobs_ = 0;
    bool ending_ = false;
    std::thread thread_; ///< last: starts when all above is there
};

} // namespace reelmesh
