// Finds and opens the engine's shared library. Loading takes seconds (LibTorch): call from a worker
// thread. The library stays open until the process ends, since its threads and static objects
// cannot be unloaded.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.h"

namespace reelmesh {

/// Where the library may lie for a program in that folder, first choice first.
std::vector<std::string> engineLibraryPlaces(const std::string& programFolder);

/// Opens the first place that exists; EngineLibrary says which one failed and why.
Result<std::unique_ptr<Engine>> openEngineLibrary(const std::vector<std::string>& places,
                                                  const EngineOptions& options = {});

} // namespace reelmesh
