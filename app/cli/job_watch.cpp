#include "job_watch.h"

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "interrupt.h"

namespace reelmesh {
namespace {

using namespace std::chrono_literals;

/// Also how long a signal, which wakes nothing, may go unnoticed.
constexpr auto kPatience = 50ms;
constexpr auto kDrainBudget = 50ms;

/// Shared with the engine's threads, which may call it a last time while it is being unset.
class WakeUp {
public:
    void ring() {
        const std::lock_guard lock(mutex_);
        rung_ = true;
        changed_.notify_one();
    }
    void wait() {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kPatience, [this] { return rung_; });
        rung_ = false;
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool rung_ = false; ///< guarded by mutex_
};

} // namespace

std::vector<JobStateChanged> JobWatch::wait(const std::vector<JobId>& jobs) {
    const auto wake_up = std::make_shared<WakeUp>();
    engine_.set_wakeup([wake_up] { wake_up->ring(); });
    bool stopping = false;
    while (ended_.size() < jobs.size()) {
        if (interrupted() && !stopping) {
            stopping = true;
            cancel_all(jobs);
        }
        if (!engine_.drain(*this, kDrainBudget) && ended_.size() < jobs.size()) wake_up->wait();
    }
    engine_.set_wakeup({});

    std::vector<JobStateChanged> ends;
    for (const JobId job : jobs)
        ends.push_back(ended_.at(job));
    return ends;
}

void JobWatch::on(const JobStateChanged& change) {
    const bool ended = change.state == JobState::Done || change.state == JobState::Failed ||
                       change.state == JobState::Canceled;
    if (ended) ended_[change.job] = change;
    bar_.show(change);
}

void JobWatch::cancel_all(const std::vector<JobId>& jobs) {
    console_.warning("stopping; a second signal ends at once");
    for (const JobId job : jobs)
        engine_.cancel(job);
}

} // namespace reelmesh
