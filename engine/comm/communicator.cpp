#include "comm/communicator.h"

#include <ATen/core/Tensor.h>

namespace reelmesh {

std::uint64_t all_gather_sent_bytes(const at::Tensor& in, int group_size) {
    return static_cast<std::uint64_t>(in.nbytes()) * static_cast<std::uint64_t>(group_size - 1);
}

} // namespace reelmesh
