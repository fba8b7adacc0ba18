// How a rank thread is set up: the one place that sets name, priority, inference mode, OpenMP thread count,
// device and stream.
#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace reelmesh {

/// First thing on the thread. threads: OpenMP threads that LibTorch uses when called from this thread.
/// Returns the guard's owner: keep it alive for the life of the thread.
class RankThreadSetup {
public:
    RankThreadSetup(const std::string& name, int threads);
    ~RankThreadSetup();
    RankThreadSetup(const RankThreadSetup&) = delete;
    RankThreadSetup& operator=(const RankThreadSetup&) = delete;

private:
    struct Mode;
    Mode* mode_;
};

/// How LibTorch computes on devices from now on: no TF32, no reduced sums, kernels that give the same bits
/// each time. Any thread.
void set_exact_arithmetic();

/// Makes a stream the thread's current one on its device; the current device stays.
class CurrentStream {
public:
    explicit CurrentStream(c10::Stream stream);
    ~CurrentStream();
    CurrentStream(const CurrentStream&) = delete;
    CurrentStream& operator=(const CurrentStream&) = delete;

private:
    c10::Stream previous_;
};

/// The streams that a rank's thread uses, own device's first; none on a CPU. Copies from another device run
/// on the thread's stream there, and would stand in line with everybody's on the default one.
using RankStreams = std::vector<c10::Stream>;

/// A rank's device and its own stream there, current for as long as this lives; on a CPU nothing. What it
/// computed is complete once synchronize() returns. The first one sets exact arithmetic. Throws what the
/// device says.
class RankDevice {
public:
    explicit RankDevice(const RankStreams& streams);
    /// Waits as well: what other threads free may still be read here. Errors were told already.
    ~RankDevice();
    RankDevice(const RankDevice&) = delete;
    RankDevice& operator=(const RankDevice&) = delete;
    void synchronize() const;

private:
    c10::OptionalDeviceGuard device_;
    std::vector<std::unique_ptr<CurrentStream>> current_;
    std::optional<c10::Stream> own_;
};

} // namespace reelmesh
