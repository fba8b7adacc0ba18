// How fast the devices of this machine have computed steps so far: plans begin with assumed rates and go on
// with these. Any thread.
#pragma once

#include <c10/core/ScalarType.h>

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/mesh_info.h"

namespace reelmesh {

class MeasuredSpeed {
public:
    /// Operations of a whole denoising on devices of this machine, one a rank, and the seconds that all of
    /// them took together. Jobs too short to tell are ignored, and those of unlike devices, and those in
    /// float32 on GPUs: rates are those of bf16.
    void remember(const std::vector<std::string>& device_of_rank, const HardwareSnapshot& machine,
                  c10::ScalarType dtype, double flop, double seconds);
    /// Puts what is known in place of assumed rates and presets. A machine that is a preset stays as it is.
    void correct(HardwareSnapshot& snapshot) const;

private:
    mutable std::mutex mutex_;
    std::map<std::string, double> flop_per_s_; ///< of one device, by name. Guarded by mutex_
};

} // namespace reelmesh
