// LibTorch's meta device has shapes and no memory: what runs on it reads no value on the host and makes all
// tensors where its input is. Kernels that the C++ library lacks there.
#pragma once

namespace reelmesh::testing {

/// Convolution, layer norm, attention and selection on the meta device, for the life of the process; more
/// than once is harmless.
void add_meta_kernels();

} // namespace reelmesh::testing
