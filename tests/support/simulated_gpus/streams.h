// Streams and events of simulated GPUs: a stream is a queue worked off by a thread of its own, so what one
// stream does not wait for really happens in any order. Tasks begin after random short delays. Any thread.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <cstdint>
#include <functional>
#include <memory>

namespace reelmesh::testing {

inline constexpr int kSimulatedGpus = 2;
inline constexpr int kPoolStreams =
    32; ///< of each priority and device, as LibTorch has them; asked for in turn

/// Behind everything that the stream was given so far.
void enqueue(const c10::Stream& stream, std::function<void()> task);
/// Until all that the stream was given is done.
void drain_stream(const c10::Stream& stream);
void drain_device(c10::DeviceIndex device);

/// A moment of a stream: reached once all before it is done.
class StreamMoment {
public:
    void reach();
    void wait() const;
    bool reached() const;
    std::int64_t time_ns() const;

private:
    struct State;
    std::shared_ptr<State> state_ = make_state();
    static std::shared_ptr<State> make_state();
};

/// A moment behind all that the stream was given so far.
StreamMoment mark(const c10::Stream& stream);
/// What the stream is given from now on waits for the moment.
void wait_for(const c10::Stream& stream, const StreamMoment& moment);

/// The calling thread's.
c10::DeviceIndex current_gpu();
void set_current_gpu(c10::DeviceIndex device);
c10::Stream current_stream(c10::DeviceIndex device);

/// Makes LibTorch see the streams as those of its CUDA devices.
void register_streams();

} // namespace reelmesh::testing
