// A queue of limited length between two threads: the producer waits while it is full.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

namespace reelmesh {

template <class T>
class BoundedQueue {
public:
    explicit BoundedQueue(std::size_t capacity) : capacity_(capacity) {}

    /// Waits for room. False: the queue was closed and the value is gone.
    bool push(T value) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || values_.size() < capacity_; });
        if (closed_) return false;
        values_.push_back(std::move(value));
        changed_.notify_all();
        return true;
    }

    /// Waits for a value. Empty: closed and nothing is left.
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || !values_.empty(); });
        if (values_.empty()) return std::nullopt;
        T value = std::move(values_.front());
        values_.pop_front();
        changed_.notify_all();
        return value;
    }

    /// What is queued can still be popped.
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

private:
    const std::size_t capacity_;
    std::mutex mutex_; // guards all below
    std::condition_variable changed_;
    std::deque<T> values_;
    bool closed_ = false;
};

} // namespace reelmesh
