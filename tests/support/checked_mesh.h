// A mesh for tests: one thread a rank, every call compared before it runs, and no wait without end.
#pragma once

#include <string>

#include "mesh/mesh_runner.h"

namespace reelmesh::testing {

inline MeshOptions checked_mesh(const std::string& mesh) {
    MeshOptions options;
    options.shape = parse_mesh(mesh);
    options.threads = options.shape.ranks();
    options.check = CheckCalls::Always;
    options.deadline = std::chrono::seconds(20);
    return options;
}

} // namespace reelmesh::testing
