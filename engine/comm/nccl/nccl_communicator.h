// Ranks on several NVIDIA GPUs over NCCL, one device a rank: LibTorch's ProcessGroupNCCL, one per rank, over
// a store in this process. Everything is groups of sends and receives, so sums are added in rank order as
// everywhere else and no choice of NCCL's can change a bit. Before a call is given to NCCL, the host waits
// until the partners have issued it too: a rank that fails leaves its peers waiting on the host, where an
// abort frees them, and not in a kernel. Part of libreelmesh_cuda.so.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "comm/communicator.h"
#include "comm/peer/peer_communicator.h"

namespace reelmesh {

/// Each device once: NCCL refuses two ranks on one. Blocks until NCCL has connected all of them.
std::vector<std::shared_ptr<Communicator>> make_nccl_group(std::span<const int> devices,
                                                           const PeerOptions& options = {});

} // namespace reelmesh
