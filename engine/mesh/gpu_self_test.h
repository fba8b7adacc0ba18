// Whether the GPUs of this machine compute what the CPU computes, and read each other's memory: before ranks
// are given to them. Drivers, broken cards and redirected peer traffic (PCIe access control) make some do
// neither, without an error. Blocks, at most kSelfTestPatience for what never ends.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "comm/gpu_pairs.h"
#include "device/cuda_backend.h"

namespace reelmesh {

inline constexpr std::chrono::seconds kSelfTestPatience{4};

struct GpuFindings {
    std::vector<CudaDevice> working; ///< links of pairs that failed are gone, those of others measured
    GpuPairs staged; ///< among the working ones: the direct path does not end, or changes bytes
    std::vector<std::string> notices; ///< one sentence each: what was found wrong and what is done instead
};

/// Nothing, once should_stop() says so: the test ends there.
GpuFindings test_gpus(const std::vector<CudaDevice>& devices, const std::function<bool()>& should_stop);

} // namespace reelmesh
