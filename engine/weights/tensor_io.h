// Tensor files for exact comparison: --initial-latents, --save-latents and their kin.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <utility>
#include <vector>

namespace reelmesh {

/// One tensor of a safetensors file as float32 (BF16, F16, F64 are converted). Throws the reader's verdicts,
/// and TensorFileMismatch when the key is absent or the shape is another one; shape entries of -1 fit any
/// size.
at::Tensor read_tensor(const std::string& path, const std::string& key,
                       const std::vector<std::int64_t>& shape);
/// Writes a safetensors file, replacing nothing half: temporary name, fsync, rename over. CPU tensors of type
/// float32, float64, int64, int32, bfloat16 or float16. Throws the write errors of base/file_ops.
void write_tensors(const std::string& path, const std::vector<std::pair<std::string, at::Tensor>>& tensors);

} // namespace reelmesh
