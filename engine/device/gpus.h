// The GPUs of this machine as devices of a plan. Any thread.
#pragma once

#include <string>
#include <vector>

#include "device/cuda_backend.h"
#include "engine/mesh_info.h"

namespace reelmesh {

/// The machine with the GPUs that were asked for by their ids ("cuda:0"), and their links: others compute
/// nothing. A preset stays as it is.
HardwareSnapshot with_asked_gpus(HardwareSnapshot snapshot, const std::vector<std::string>& asked);
/// Appends these devices of a backend. Rates are those of the card's preset, else assumed; what this process
/// holds counts as free: a plan counts its model again.
void add_gpus(HardwareSnapshot& snapshot, const std::vector<CudaDevice>& devices);

} // namespace reelmesh
