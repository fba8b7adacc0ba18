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

/// Highest memory of each phase, bytes: of the whole process on a CPU, of the fullest device on GPUs.
struct MemoryEstimate {
    std::uint64_t base = 0; ///< process and libraries
    std::uint64_t weights = 0;
    std::uint64_t text = 0, denoise = 0, decode = 0, write = 0; ///< on top of base and weights
    std::uint64_t peak() const { return base + weights + std::max({text, denoise, decode + write}); }
};

/// What one axis moves.
struct AxisCost {
    std::string axis;                 ///< cfg, ulysses, ring, tp, pipe, vae
    std::uint64_t bytes_per_step = 0; ///< sent by the busiest rank in a step; vae: in the whole decode
    std::uint64_t total_bytes = 0;    ///< sent by all ranks in the whole job
    double seconds_per_step = 0;      ///< not hidden behind arithmetic; vae: of the whole decode
};

/// One rank's part of the work.
struct RankShare {
    std::string device;
    std::int64_t tokens = 0;      ///< between layers
    std::int64_t heads = 0;       ///< in self-attention
    std::uint64_t peak_bytes = 0; ///< on a GPU all that the device needs, on a CPU what the rank adds
};

/// The rows of the decoded picture that one rank makes.
struct DecodeBand {
    int rank = 0;
    std::int64_t first_row = 0, rows = 0; ///< pixels
};

struct Plan {
    std::string mesh; ///< canonical; "single" for one rank
    int ranks = 1;
    std::vector<std::string> devices; ///< one a rank
    int forwards_per_step = 1;        ///< of the busiest rank
    MemoryEstimate memory;
    std::uint64_t bytes_per_step = 0; ///< sent by the busiest rank over all axes
    std::vector<AxisCost> axes;       ///< those of degree above 1, and vae
    std::vector<RankShare> shares;    ///< one a rank
    std::vector<DecodeBand> bands;    ///< of the decoder, top to bottom; one band: a single rank decodes
    double step_seconds = 0, text_seconds = 0, decode_seconds = 0;
    double total_seconds = 0;          ///< of the job, the model loaded
    std::vector<double> weights;       ///< relative speed of each sequence slot ring*U+ulysses; empty: even
    bool uneven = false;               ///< heads that do not divide
    std::vector<std::string> warnings; ///< one sentence each
    bool exact = true;
    std::optional<Error> refusal;
};

struct PlanSet {
    std::vector<Plan> plans; ///< best first, refused ones last
    std::int64_t tokens = 0;
    std::int64_t latent_frames = 0, latent_height = 0, latent_width = 0;
    std::string dtype;    ///< what auto became
    std::string family;   ///< preset of the family, "wan2.1-t2v-14b"
    std::string hardware; ///< preset of the machine; "": this machine
    std::string basis;    ///< where the rates are from: assumed, preset, measured
};

} // namespace reelmesh
