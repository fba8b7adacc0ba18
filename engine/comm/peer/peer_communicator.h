// Ranks that are threads of one process: each reads its peers' tensors directly, one copy an
// element. A board of one cell a rank shows what has been issued; waiting is on the host, where
// an abort frees it. Made together for a group, then each used by its rank's thread.
#pragma once

#include <chrono>
#include <memory>
#include <vector>

#include "comm/communicator.h"

namespace reelmesh {

/// Longest wait for a peer before the call fails with CommunicatorTimeout; settable, short in tests.
struct PeerOptions {
    std::chrono::milliseconds deadline{std::chrono::minutes{10}};
};

std::vector<std::shared_ptr<Communicator>> make_peer_group(int size, const PeerOptions& options = {});

} // namespace reelmesh
