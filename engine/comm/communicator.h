// What ranks say to each other: a narrow set of collectives, each over the ranks of one group. On a CPU a
// call blocks the rank's thread until it is complete; on a GPU it orders the current streams and waits on
// the host only until the other ranks have issued the call. Every rank of the group makes the same calls in
// the same order; sizes follow from the plan and are never exchanged. abort() may come from any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/error.h"
#include "engine/telemetry.h"

namespace reelmesh {

/// Says in records and reports what a call is for.
struct CallTag {
    ExchangePurpose purpose = ExchangePurpose::Other;
    int layer = -1;
    int hop = -1;
};

/// One partner of a send_recv; undefined tensors: nothing goes that way. At most one entry a partner.
struct PeerTransfer {
    int peer = 0;
    at::Tensor send, receive;
};

enum class ReduceOp { Sum, Max };

class Communicator {
public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0; ///< inside the group
    virtual int size() const = 0;

    /// Part j of in along in_dim, in_sizes[j] long, goes to rank j; part i of out along out_dim, out_sizes[i]
    /// long, comes from rank i. Even, uneven, zero; strided views; same dtype. in and out do not overlap.
    virtual void all_to_all(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> out_sizes,
                            std::span<const std::int64_t> in_sizes, std::int64_t out_dim, std::int64_t in_dim,
                            const CallTag& tag) = 0;
    /// out along dim: the parts of all ranks in rank order, sizes[i] long; in is the own part. Same dtype.
    virtual void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                            std::int64_t dim, const CallTag& tag) = 0;
    /// Posts all transfers together; they are under way until finish_send_recv(). What is sent must not
    /// change and what is received must not be read until then, and no other call may be made on this group.
    virtual void start_send_recv(std::span<const PeerTransfer> transfers, const CallTag& tag) = 0;
    virtual void finish_send_recv() = 0;
    /// Both at once.
    void send_recv(std::span<const PeerTransfer> transfers, const CallTag& tag);
    /// In place, contiguous; the same bits on every rank: added in rank order in float32 (float64 for
    /// float64), rounded once.
    virtual void all_reduce(at::Tensor& tensor, ReduceOp op, const CallTag& tag) = 0;
    /// root's values on every rank, in place.
    virtual void broadcast(at::Tensor& tensor, int root, const CallTag& tag) = 0;
    /// Host-side; set-up and tests only.
    virtual void barrier(const CallTag& tag) = 0;

    /// Frees every rank of the group: calls in flight and later ones throw CommunicatorAborted. First error
    /// wins.
    virtual void abort(const Error& error) = 0;
    /// The error given to abort(), if any.
    virtual std::optional<Error> state() const = 0;
    /// Longest wait for a peer before a call fails with CommunicatorTimeout. Between calls.
    virtual void set_deadline(std::chrono::milliseconds deadline) = 0;
    /// Time that this rank has spent waiting for its peers, over all calls; read by the rank's thread.
    virtual std::int64_t waited_ns() const = 0;
};

/// Payload of one call as one rank sees it. Others take sent from it (spec of the ledger: section 5.1 of the
/// parallelism page); own parts do not count.
struct CallBytes {
    std::uint64_t sent = 0, received = 0;
    bool operator==(const CallBytes&) const = default;
};
CallBytes all_to_all_bytes(const at::Tensor& out, const at::Tensor& in,
                           std::span<const std::int64_t> out_sizes, std::span<const std::int64_t> in_sizes,
                           std::int64_t out_dim, std::int64_t in_dim, int rank);
CallBytes all_gather_bytes(const at::Tensor& out, const at::Tensor& in, int size);
CallBytes send_recv_bytes(std::span<const PeerTransfer> transfers);
CallBytes all_reduce_bytes(const at::Tensor& tensor, int rank, int size);
CallBytes broadcast_bytes(const at::Tensor& tensor, int root, int rank, int size);

} // namespace reelmesh
