// Why ranks compute on the CPU, in one true sentence: no driver, too old, none visible, a build without CUDA,
// a device that was lost; "": there is a GPU. Pure.
#pragma once

#include <string>

#include "device/cuda_backend.h"
#include "device/nvml.h"

namespace reelmesh {

/// visible: the value of CUDA_VISIBLE_DEVICES, nullptr where it is not set.
std::string no_gpu_reason(const CudaPart& part, const DriverFacts& driver, const char* visible);

} // namespace reelmesh
