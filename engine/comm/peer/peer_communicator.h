// Ranks that are threads of one process, on CPUs or on devices that read each other's memory: each rank reads
// its peers' tensors directly, one copy an element. A board of one cell a rank shows what has been issued;
// waiting is on the host, where an abort frees it. On a device, events order the copies; no stream waits for
// an event that was not recorded. Devices whose direct path does not work exchange through the host's memory,
// where the reader's thread waits for the copy. Made together for a group, then each used by its rank's
// thread.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/gpu_pairs.h"

namespace reelmesh {

struct PeerOptions {
    /// Longest wait for a peer; short in tests.
    std::chrono::milliseconds deadline{std::chrono::minutes{10}};
    /// Ranks of the mesh that the members are, for reports; empty: their numbers in the group.
    std::vector<int> mesh_ranks;
    std::string group; ///< "ulysses", for reports
    GpuPairs staged;   ///< that cannot read each other's memory: their data goes through the host's
};

std::vector<std::shared_ptr<Communicator>> make_peer_group(int size, const PeerOptions& options = {});

} // namespace reelmesh
