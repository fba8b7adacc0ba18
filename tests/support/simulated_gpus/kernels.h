// What LibTorch computes on simulated GPUs: everything, by its CPU kernels on the same memory, in the order
// of the caller's stream and complete when the call returns; only copies between GPU tensors run behind the
// caller's back, on the streams that LibTorch would take. An operator that mixes devices is refused, as on a
// real GPU.
#pragma once

namespace reelmesh::testing {

/// Once a process, which has no real CUDA in it.
void register_kernels();

} // namespace reelmesh::testing
