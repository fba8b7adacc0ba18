#include "comm/communicator.h"

#include <ATen/core/Tensor.h>

#include "comm/parts.h"

namespace reelmesh {
namespace {

/// Bytes of all parts of a tensor along dim but one.
std::uint64_t other_parts_bytes(const at::Tensor& tensor, std::span<const std::int64_t> sizes,
                                std::int64_t dim, int own) {
    const std::int64_t length = tensor.size(dim);
    if (length == 0) return 0;
    const auto others = static_cast<std::uint64_t>(length - sizes[static_cast<std::size_t>(own)]);
    return static_cast<std::uint64_t>(tensor.nbytes()) / static_cast<std::uint64_t>(length) * others;
}

std::uint64_t bytes_of(const at::Tensor& tensor) {
    return tensor.defined() ? static_cast<std::uint64_t>(tensor.nbytes()) : 0;
}

} // namespace

void Communicator::send_recv(std::span<const PeerTransfer> transfers, const CallTag& tag) {
    start_send_recv(transfers, tag);
    finish_send_recv();
}

CallBytes all_to_all_bytes(const at::Tensor& out, const at::Tensor& in,
                           std::span<const std::int64_t> out_sizes, std::span<const std::int64_t> in_sizes,
                           std::int64_t out_dim, std::int64_t in_dim, int rank) {
    return {other_parts_bytes(in, in_sizes, in_dim, rank), other_parts_bytes(out, out_sizes, out_dim, rank)};
}

CallBytes all_gather_bytes(const at::Tensor& out, const at::Tensor& in, int size) {
    return {bytes_of(in) * static_cast<std::uint64_t>(size - 1), bytes_of(out) - bytes_of(in)};
}

CallBytes send_recv_bytes(std::span<const PeerTransfer> transfers) {
    CallBytes bytes;
    for (const PeerTransfer& transfer : transfers) {
        bytes.sent += bytes_of(transfer.send);
        bytes.received += bytes_of(transfer.receive);
    }
    return bytes;
}

CallBytes all_reduce_bytes(const at::Tensor& tensor, int rank, int size) {
    // Each rank adds one chunk of everybody's, then all read the sums: n - chunk, then (size - 1) * chunk.
    const auto chunk =
        static_cast<std::uint64_t>(parts_of(tensor.numel(), size).sizes[static_cast<std::size_t>(rank)]);
    const std::uint64_t elements =
        static_cast<std::uint64_t>(tensor.numel()) - chunk + static_cast<std::uint64_t>(size - 1) * chunk;
    const std::uint64_t bytes = elements * tensor.element_size();
    return {bytes, bytes};
}

CallBytes broadcast_bytes(const at::Tensor& tensor, int root, int rank, int size) {
    if (rank == root) return {bytes_of(tensor) * static_cast<std::uint64_t>(size - 1), 0};
    return {0, bytes_of(tensor)};
}

} // namespace reelmesh
