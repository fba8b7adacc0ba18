// One thread that runs one function after another for its owner.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace reelmesh {

class RankWorker {
public:
    RankWorker(const std::string& name, int threads);
    ~RankWorker(); ///< joins
    RankWorker(const RankWorker&) = delete;
    RankWorker& operator=(const RankWorker&) = delete;

    /// Hands the function over; one at a time.
    void start(std::function<void()> function);
    /// Waits for it; the exception it threw, or null.
    std::exception_ptr wait();

private:
    void loop(const std::string& name, int threads);

    std::mutex mutex_; // guards all below but the thread
    std::condition_variable changed_;
    std::function<void()> function_;
    std::exception_ptr exception_;
    bool busy_ = false;
    bool ending_ = false;
    std::thread thread_;
};

} // namespace reelmesh
