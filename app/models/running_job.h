// A job that has begun, as the views of a run need it. Plain values.
#pragma once

#include "engine/events.h"
#include "engine/plan.h"
#include "engine/request.h"

namespace reelmesh {

struct RunningJob {
    JobId id = 0;
    JobRequest request; ///< resolved: every default, the seed, the mesh in place
    Plan plan;          ///< of the mesh that it runs on
};

} // namespace reelmesh
