// What ranks say to each other: a narrow set of collectives, each over the ranks of one axis.
// A call blocks the rank's thread on a CPU until it is complete. Every rank of the group makes
// the same calls in the same order. abort() may come from any thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/error.h"

namespace reelmesh {

/// Says in reports what a call is for.
struct CallTag {
    std::string_view purpose; ///< string literal
    int layer = -1;
};

class Communicator {
public:
    virtual ~Communicator() = default;
    virtual int rank() const = 0; ///< inside the group
    virtual int size() const = 0;

    /// out along dim: the parts of all ranks in rank order, sizes[i] long; in is the own part. Same dtype.
    virtual void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                            std::int64_t dim, const CallTag& tag) = 0;
    /// Host-side; set-up and tests only.
    virtual void barrier(const CallTag& tag) = 0;

    /// Frees every rank of the group: calls in flight and later ones throw CommunicatorAborted. First error
    /// wins.
    virtual void abort(const Error& error) = 0;
    /// The error given to abort(), if any.
    virtual std::optional<Error> state() const = 0;
    /// Time that this rank has spent waiting for its peers, over all calls; read by the rank's thread.
    virtual std::int64_t waited_ns() const = 0;
};

/// Bytes that this rank sends in an all_gather: its part to every peer.
std::uint64_t all_gather_sent_bytes(const at::Tensor& in, int group_size);

} // namespace reelmesh
