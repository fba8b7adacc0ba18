// What a path holds, and what this engine is: answers that need no job.
#pragma once

#include <string>

#include "engine/engine.h"

namespace reelmesh {

/// A model folder, a tensor file, a media file or a job file, told by what it is. request (unset fields take
/// the model's defaults) is planned for a model on that machine. Throws FileMissing, NotAModel, the readers'
/// verdicts, the rules' refusals.
InspectReport inspect_path(const std::string& path, const JobRequest& request,
                           const HardwareSnapshot& hardware, InspectDetail detail);

EngineInfo engine_info(const std::string& sample_model, const HardwareSnapshot& hardware);

} // namespace reelmesh
