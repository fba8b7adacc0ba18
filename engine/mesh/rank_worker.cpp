#include "mesh/rank_worker.h"

#include "base/check.h"
#include "mesh/rank_thread.h"

namespace reelmesh {

RankWorker::RankWorker(const std::string& name, int threads)
    : thread_([this, name, threads] { loop(name, threads); }) {}

RankWorker::~RankWorker() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
}

void RankWorker::start(std::function<void()> function) {
    const std::lock_guard lock(mutex_);
    REELMESH_CHECK(!busy_);
    function_ = std::move(function);
    exception_ = nullptr;
    busy_ = true;
    changed_.notify_all();
}

std::exception_ptr RankWorker::wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !busy_; });
    return exception_;
}

void RankWorker::loop(const std::string& name, int threads) {
    const RankThreadSetup setup(name, threads);
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return busy_ || ending_; });
        if (!busy_) return;
        std::exception_ptr exception;
        lock.unlock();
        try {
            function_();
        } catch (...) {
            exception = std::current_exception();
        }
        function_ = nullptr;
        lock.lock();
        exception_ = exception;
        busy_ = false;
        changed_.notify_all();
    }
}

} // namespace reelmesh
