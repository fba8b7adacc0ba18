// A mesh of ranks, one thread each, kept between jobs. run() has every rank call the same
// function and waits for all; the first error aborts the others and is thrown. Owned and called
// by the control thread; cancel gate, bytes and telemetry may be read from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/peer/peer_communicator.h"
#include "comm/recorded_communicator.h"
#include "mesh/axis.h"
#include "mesh/cancel_gate.h"
#include "mesh/rank_context.h"

namespace reelmesh {

struct MeshOptions {
    MeshShape shape;
    int threads = 1; ///< over all ranks: each gets split(threads, ranks), at least one
    PeerOptions peer;
};

class MeshRunner {
public:
    explicit MeshRunner(const MeshOptions& options);
    ~MeshRunner();
    MeshRunner(const MeshRunner&) = delete;
    MeshRunner& operator=(const MeshRunner&) = delete;

    const MeshShape& shape() const { return options_.shape; }
    int ranks() const { return options_.shape.ranks(); }
    int threads() const { return options_.threads; }
    CancelGate& gate() { return gate_; }
    TelemetryWriter& writer(int rank);
    /// Bytes sent along each axis since the last reset, all ranks.
    std::map<std::string, std::uint64_t> sent_bytes() const;
    void reset_sent_bytes();

    /// Every rank calls the function once. Throws the first error, with its rank; Canceled when all ranks
    /// stopped at the gate. After any other error the communicators are gone: usable() is false and a new
    /// mesh is needed.
    void run(const std::function<void(RankContext&)>& function);
    bool usable() const { return usable_; }

private:
    struct Rank;

    MeshOptions options_;
    CancelGate gate_;
    std::map<Axis, std::unique_ptr<SentBytes>> sent_;
    std::vector<std::unique_ptr<Rank>> ranks_;
    bool usable_ = true;
};

/// n parts of a whole, the first n mod parts one larger: the split rule of all ranks.
std::vector<std::int64_t> split(std::int64_t whole, int parts);

} // namespace reelmesh
