// What a job will cost on a machine, found without weights. Pure: any thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/mesh_info.h"
#include "engine/request.h"

namespace reelmesh {

/// Highest memory of each phase, bytes, whole process on a CPU.
struct MemoryEstimate {
    std::uint64_t base = 0; ///< process and libraries
    std::uint64_t weights = 0;
    std::uint64_t text = 0, denoise = 0, decode = 0, write = 0; ///< on top of base and weights
    std::uint64_t peak() const { return base + weights + std::max({text, denoise, decode + write}); }
};

struct Plan {
    std::string mesh; ///< canonical; "single" for one rank
    int ranks = 1;
    std::vector<std::string> devices; ///< one a rank
    int forwards_per_step = 1;        ///< of the busiest rank
    MemoryEstimate memory;
    std::uint64_t bytes_per_step = 0; ///< sent by one rank over all axes
    bool exact = true;
    std::optional<Error> refusal;
};

struct PlanSet {
    std::vector<Plan> plans; ///< best first, refused ones last
    std::int64_t tokens = 0;
    std::int64_t latent_frames = 0, latent_height = 0, latent_width = 0;
    std::string dtype; ///< what auto became
};

} // namespace reelmesh
