// Which devices of a machine a job computes on. Pure.
#pragma once

#include <vector>

#include "engine/mesh_info.h"
#include "engine/request.h"

namespace reelmesh {

/// By index: those that the job names and that are there, in its order and as often as it names them; else
/// all GPUs, else the processor.
std::vector<int> usable_devices(const JobRequest& request, const HardwareSnapshot& hardware);

} // namespace reelmesh
