#include "comm/peer/peer_communicator.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/check.h"
#include "comm/parts.h"
#include "comm/peer/announce.h"
#include "comm/peer/board.h"
#include "telemetry/writer.h"

namespace reelmesh {
namespace {

/// An event behind all that the rank's stream was given so far; none on a CPU, where calls have ended by
/// then.
std::optional<c10::Event> record_event(c10::Device device) {
    if (device.is_cpu()) return std::nullopt;
    c10::Event event(device.type());
    event.record(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
    return event;
}

at::ScalarType sum_type(at::ScalarType type) {
    return type == at::kDouble ? at::kDouble : at::kFloat;
}

class PeerCommunicator final : public Communicator {
public:
    PeerCommunicator(std::shared_ptr<PeerBoard> board, int rank)
        : board_(std::move(board)), rank_(rank), everybody_(static_cast<std::size_t>(board_->size())) {
        // Each rank begins with itself: not all read from rank 0 at once.
        for (int i = 0; i < size(); ++i)
            everybody_[static_cast<std::size_t>(i)] = (rank + i) % size();
    }

    int rank() const override { return rank_; }
    int size() const override { return board_->size(); }

    void all_to_all(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> out_sizes,
                    std::span<const std::int64_t> in_sizes, std::int64_t out_dim, std::int64_t in_dim,
                    const CallTag& tag) override {
        const Parts received(out_sizes);
        REELMESH_CHECK(static_cast<int>(out_sizes.size()) == size() &&
                       static_cast<int>(in_sizes.size()) == size());
        exchange({.op = ExchangeOp::AllToAll,
                  .tag = tag,
                  .input = in,
                  .part_sizes = {in_sizes.begin(), in_sizes.end()}},
                 in.device(), [&](int peer, const PostedCall& call) {
                     const Parts sent{std::span<const std::int64_t>(call.part_sizes)};
                     copy(out.narrow(out_dim, received.start(peer), received.size(peer)),
                          call.input.narrow(in_dim, sent.start(rank_), sent.size(rank_)));
                 });
    }

    void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                    std::int64_t dim, const CallTag& tag) override {
        const Parts parts(sizes);
        REELMESH_CHECK(static_cast<int>(sizes.size()) == size());
        exchange({.op = ExchangeOp::AllGather, .tag = tag, .input = in}, in.device(),
                 [&](int peer, const PostedCall& call) {
                     copy(out.narrow(dim, parts.start(peer), parts.size(peer)), call.input);
                 });
    }

    void start_send_recv(std::span<const PeerTransfer> transfers, const CallTag& tag) override {
        REELMESH_CHECK(!pending_);
        PostedCall call{.op = ExchangeOp::SendRecv, .tag = tag};
        call.transfers.assign(transfers.begin(), transfers.end());
        pending_ = call.transfers;
        c10::Device device = at::kCPU;
        for (const PeerTransfer& transfer : transfers)
            for (const at::Tensor& tensor : {transfer.send, transfer.receive})
                if (tensor.defined()) device = tensor.device();
        pending_device_ = device;
        post(std::move(call), device);
    }

    void finish_send_recv() override {
        REELMESH_CHECK(pending_);
        const std::vector<PeerTransfer> transfers = std::move(*pending_);
        pending_.reset();
        std::vector<int> readers;
        for (const PeerTransfer& transfer : transfers) {
            if (transfer.send.defined()) readers.push_back(transfer.peer);
            if (!transfer.receive.defined()) continue;
            const PostedCall& call = await(transfer.peer, pending_device_);
            const auto mine = std::find_if(call.transfers.begin(), call.transfers.end(),
                                           [&](const PeerTransfer& theirs) { return theirs.peer == rank_; });
            REELMESH_CHECK(mine != call.transfers.end() && mine->send.defined());
            copy(transfer.receive, mine->send);
        }
        leave(readers, pending_device_);
        for (const PeerTransfer& transfer : transfers)
            announce_write(transfer.send);
    }

    void all_reduce(at::Tensor& tensor, ReduceOp op, const CallTag& tag) override {
        REELMESH_CHECK(tensor.is_contiguous());
        const at::Tensor flat = tensor.view({-1});
        const Parts chunks = parts_of(flat.size(0), size());
        const auto chunk_of = [&](const at::Tensor& whole, int rank) {
            return whole.narrow(0, chunks.start(rank), chunks.size(rank));
        };
        const at::Tensor own_chunk = chunk_of(flat, rank_);
        post({.op = ExchangeOp::AllReduce, .tag = tag, .input = flat}, flat.device());
        {
            std::vector<at::Tensor> parts(everybody_.size()); // let go before the peers may go on
            for (const int peer : everybody_) {
                parts[static_cast<std::size_t>(peer)] = chunk_of(await(peer, flat.device()).input, rank_);
                announce_read(parts[static_cast<std::size_t>(peer)]);
            }
            // Nobody else reads the own chunk, and the others are written only when their readers have gone
            // on.
            combine(own_chunk, parts, op);
        }
        leave({}, flat.device(), /*first_half=*/true);
        exchange({.op = ExchangeOp::AllReduce, .tag = tag, .input = own_chunk}, flat.device(),
                 [&](int peer, const PostedCall& call) {
                     if (peer != rank_) copy(chunk_of(flat, peer), call.input);
                 });
        board_->forget(rank_, sequence_ - 1);
    }

    void broadcast(at::Tensor& tensor, int root, const CallTag& tag) override {
        post({.op = ExchangeOp::Broadcast, .tag = tag, .input = tensor}, tensor.device());
        if (rank_ != root) copy(tensor, await(root, tensor.device()).input);
        leave(rank_ == root ? std::span<const int>(everybody_) : std::span<const int>(), tensor.device());
        announce_write(tensor);
    }

    void barrier(const CallTag& tag) override {
        exchange({.op = ExchangeOp::Barrier, .tag = tag}, at::kCPU, [](int, const PostedCall&) {});
    }

    void abort(const Error& error) override { board_->abort(error); }
    std::optional<Error> state() const override { return board_->state(); }
    void set_deadline(std::chrono::milliseconds deadline) override { board_->set_deadline(deadline); }
    std::int64_t waited_ns() const override { return waited_ns_; }

private:
    /// Posts, hands every rank's call to the reader, own included, and waits until all have read.
    void exchange(PostedCall call, c10::Device device,
                  const std::function<void(int, const PostedCall&)>& read) {
        REELMESH_CHECK(!pending_);
        const at::Tensor input = call.input;
        post(std::move(call), device);
        for (const int peer : everybody_)
            read(peer, await(peer, device));
        leave(everybody_, device);
        announce_write(input); // the caller's again
    }

    void post(PostedCall call, c10::Device device) {
        announce_write(call.input);
        for (const PeerTransfer& transfer : call.transfers)
            announce_write(transfer.send);
        call.ready = record_event(device);
        call.device = device;
        board_->post(rank_, ++sequence_, std::move(call));
    }

    const PostedCall& await(int peer, c10::Device device) {
        const std::int64_t start_ns = steady_now_ns();
        const PostedCall& call = board_->await_call(rank_, peer, sequence_);
        waited_ns_ += steady_now_ns() - start_ns;
        if (call.ready && peer != rank_) {
            const c10::impl::VirtualGuardImpl streams(device.type());
            call.ready->block(streams.getStream(device));
            // Copies between devices run on the source's current stream: what they read there has to be ready
            // for it too, when LibTorch packs strided values first or a copy goes through the host.
            if (call.device != device) call.ready->block(streams.getStream(call.device));
        }
        return call;
    }

    void leave(std::span<const int> readers, c10::Device device, bool first_half = false) {
        board_->finish(rank_, sequence_, record_event(device));
        const std::int64_t start_ns = steady_now_ns();
        board_->await_finished(rank_, readers, sequence_, device);
        waited_ns_ += steady_now_ns() - start_ns;
        // A first half of an all_reduce nobody waits for: it is over when the second half is.
        if (!first_half) board_->forget(rank_, sequence_);
    }

    bool is_staged(c10::Device a, c10::Device b) const {
        return a != b && a.is_cuda() && b.is_cuda() && board_->options().staged.has(a, b);
    }

    void copy(const at::Tensor& to, const at::Tensor& from) const {
        REELMESH_CHECK(to.sizes() == from.sizes() && to.scalar_type() == from.scalar_type());
        announce_read(from);
        announce_write(to);
        to.copy_(reachable(from, to.device()), /*non_blocking=*/true);
    }

    /// As a device can read it: by itself, or a copy on the host.
    at::Tensor reachable(const at::Tensor& from, c10::Device reader) const {
        return is_staged(reader, from.device()) ? from.cpu() : from;
    }

    /// Adds in rank order and rounds once; by tiles, so that sums stay in a cache and need no memory of the
    /// size of the whole. result is one of the parts.
    void combine(const at::Tensor& result, const std::vector<at::Tensor>& parts, ReduceOp op) const {
        constexpr std::int64_t kTileOfCache = 65536;
        const std::int64_t tile = result.is_cpu() ? kTileOfCache : std::max<std::int64_t>(1, result.size(0));
        const at::ScalarType type = sum_type(result.scalar_type());
        for (std::int64_t first = 0; first < result.size(0); first += tile) {
            const std::int64_t count = std::min(tile, result.size(0) - first);
            const c10::Device device = result.device();
            const auto tile_of = [&](std::size_t rank) {
                return reachable(parts[rank].narrow(0, first, count), device);
            };
            at::Tensor sum = tile_of(0).to(device, type, /*non_blocking=*/false, /*copy=*/true);
            for (std::size_t rank = 1; rank < parts.size(); ++rank) {
                const at::Tensor part = tile_of(rank).to(device);
                if (op == ReduceOp::Sum)
                    sum.add_(part);
                else
                    at::maximum_out(sum, sum, part.to(type));
            }
            result.narrow(0, first, count).copy_(sum);
        }
    }

    std::shared_ptr<PeerBoard> board_;
    int rank_;
    std::vector<int> everybody_; ///< all ranks, this one first
    std::uint64_t sequence_ = 0;
    std::int64_t waited_ns_ = 0;
    std::optional<std::vector<PeerTransfer>> pending_;
    c10::Device pending_device_ = at::kCPU;
};

} // namespace

std::vector<std::shared_ptr<Communicator>> make_peer_group(int size, const PeerOptions& options) {
    const auto board = std::make_shared<PeerBoard>(size, options);
    std::vector<std::shared_ptr<Communicator>> group;
    for (int rank = 0; rank < size; ++rank)
        group.push_back(std::make_shared<PeerCommunicator>(board, rank));
    return group;
}

} // namespace reelmesh
