// How a rank thread is set up: the one place that sets name, priority, inference mode, OpenMP thread count,
// device and stream.
#pragma once

#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>

#include <optional>
#include <string>

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

/// A rank's device and its own stream there, current for as long as this lives; on a CPU nothing. What it
/// computed is complete once synchronize() returns. The first one sets how LibTorch computes on devices: no
/// TF32, no reduced sums, kernels that give the same bits each time. Throws what the device says.
class RankDevice {
public:
    /// stream: of that device; none on a CPU.
    RankDevice(c10::Device device, const std::optional<c10::Stream>& stream);
    /// Waits as well: what other threads free may still be read here. Errors were told already.
    ~RankDevice();
    RankDevice(const RankDevice&) = delete;
    RankDevice& operator=(const RankDevice&) = delete;
    void synchronize() const;

private:
    c10::OptionalDeviceGuard device_;
    c10::OptionalStreamGuard stream_;
    std::optional<c10::Stream> own_;
};

} // namespace reelmesh
