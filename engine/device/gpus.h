// The GPUs of this machine as devices of a plan. Any thread.
#pragma once

#include <vector>

#include "device/cuda_backend.h"
#include "engine/mesh_info.h"

namespace reelmesh {

/// Appends these devices of a backend. Rates are those of the card's preset, else assumed; links are as
/// measured, else the preset's; what this process holds counts as free: a plan counts its model again.
void add_gpus(HardwareSnapshot& snapshot, const std::vector<CudaDevice>& devices);

} // namespace reelmesh
