// When a rank's work was really done: on a CPU when its thread gets there, on a device when its stream does.
// Marks on a stream are events that are read later, once the stream has passed them; nobody waits for a
// device to be timed.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Event.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace reelmesh {

/// A moment of a rank. Any thread may read it.
class ClockMark {
public:
    ClockMark() = default;
    /// On the host's clock, steady_now_ns().
    explicit ClockMark(std::int64_t host_ns) : host_ns_(host_ns) {}

    /// On the same clock; nothing as long as the stream has not passed it. Throws what a broken device says.
    std::optional<std::int64_t> time_ns() const;
    /// Blocks until the stream has passed it.
    void wait() const;

private:
    friend class StreamClock;
    /// A moment that both clocks know.
    struct Anchor {
        explicit Anchor(c10::DeviceType type) : event(type, c10::EventFlag::BACKEND_DEFAULT) {}
        c10::Event event;
        std::int64_t host_ns = 0;
    };

    std::int64_t host_ns_ = 0;
    std::shared_ptr<c10::Event> event_; ///< null: the host's moment is all there is
    std::shared_ptr<const Anchor> anchor_;
};

/// A rank's clock, and what waits for its marks. The rank's thread alone.
class StreamClock {
public:
    explicit StreamClock(c10::Device device = at::kCPU) : device_(device) {}

    bool on_device() const { return !device_.is_cpu(); }
    /// Ties the stream's time to the host's. The rank's stream is current and has nothing to do.
    void start();
    /// Behind all that the current stream was given so far.
    ClockMark mark();

    /// Calls at once where the mark is reached and nothing older waits, else at the next settle() that finds
    /// it so: in the order of the calls.
    template <class F>
    void when_reached(const ClockMark& mark, F&& function) {
        if (waiting_.empty() && mark.time_ns()) return function();
        waiting_.push_back({mark, std::forward<F>(function)});
    }
    void settle();
    /// What still waits is never called: its device failed.
    void give_up() { waiting_.clear(); }

private:
    struct Waiting {
        ClockMark mark;
        std::function<void()> function;
    };

    c10::Device device_;
    std::shared_ptr<const ClockMark::Anchor> anchor_;
    /// Used in turn: making an event takes longer than recording one.
    std::vector<std::shared_ptr<c10::Event>> events_;
    std::size_t next_event_ = 0;
    std::deque<Waiting> waiting_;
};

} // namespace reelmesh
