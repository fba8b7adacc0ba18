// Memory of simulated GPUs: the host's, but freed in stream order as LibTorch's allocator does it, and
// poisoned then: who reads memory that another stream may have been given again, reads NaN. Any thread.
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Device.h>

#include <cstdint>

namespace reelmesh::testing {

inline constexpr std::uint64_t kSimulatedGpuBytes = std::uint64_t{6} << 30;

struct GpuBytes {
    std::uint64_t now = 0, peak = 0;
};
GpuBytes gpu_bytes(c10::DeviceIndex device);
void reset_gpu_peak(c10::DeviceIndex device);

c10::Allocator* simulated_gpu_allocator();

} // namespace reelmesh::testing
