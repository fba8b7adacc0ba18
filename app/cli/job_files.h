// The requests that a command line stands for: its job files, or none, with the flags laid over each.
#pragma once

#include <vector>

#include <engine/engine.h>

#include "console.h"
#include "options.h"

namespace reelmesh {

struct Requests {
    std::vector<JobRequest> requests;
    std::vector<Error> errors; ///< not empty: the requests are not to be used
};

/// Reads the files; warns of settings that are kept but not understood.
Requests read_requests(Engine& engine, const CommandLine& line, Console& console);

} // namespace reelmesh
