// Latents to frames, chunk by chunk, so that frames can be shown and written while the rest is
// still being decoded. Each rank of the mesh decodes a band of rows and puts it into the shared frames.
#pragma once

#include <ATen/core/Tensor.h>

#include "mesh/mesh_runner.h"
#include "pipeline/generate.h"
#include "pipeline/remaining_time.h"
#include "pipeline/write_stage.h"

namespace reelmesh {

/// Latent frames of a decode chunk: one, so that the first picture and a cancel come soon and memory stays
/// low.
inline constexpr std::int64_t kDecodeChunkFrames = 1;

/// latents [1,Z,T,H,W], model space. Hands frames to hooks, to writer (may be null) and to --save-frames.
/// Throws NotFinite, Canceled, what the writer threw. Returns the number of frames.
std::int64_t decode(const GenerateTask& task, const LoadedModel& model, const at::Tensor& latents,
                    MeshRunner& mesh, JobHooks& hooks, WriteStage* writer);

} // namespace reelmesh
