// How fast this machine has computed steps so far: plans begin with assumed rates and go on with these. Any
// thread.
#pragma once

#include <mutex>

#include "engine/mesh_info.h"

namespace reelmesh {

class MeasuredSpeed {
public:
    /// Operations of a whole denoising and the seconds that all ranks took for it together. Jobs too short to
    /// tell are ignored.
    void remember(double flop, double seconds);
    /// Puts what is known in place of the processor's assumed rates.
    void correct(HardwareSnapshot& snapshot) const;

private:
    mutable std::mutex mutex_;
    double flop_per_s_ = 0; ///< 0: not yet. Guarded by mutex_
};

} // namespace reelmesh
