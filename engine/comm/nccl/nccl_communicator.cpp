#include "comm/nccl/nccl_communicator.h"

#include <ATen/ATen.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/distributed/c10d/Work.hpp>

#include <utility>

#include "base/check.h"
#include "comm/nccl/nccl_group.h"
#include "comm/parts.h"
#include "telemetry/writer.h"

namespace reelmesh {
namespace {

/// A part of a call as the caller wants it: any strides, empty and own parts included.
struct Unpack {
    at::Tensor to, from;
};

struct Pending {
    c10::intrusive_ptr<c10d::Work> work;
    std::vector<PeerTransfer> transfers; ///< kept until the stream has gone past them
    std::vector<Unpack> unpack;
    std::string operation;
};

/// The board keeps a rank's last calls for reports: shapes will do, memory must be free to go.
at::Tensor shape_of(const at::Tensor& tensor) {
    return tensor.defined() ? at::empty(tensor.sizes(), tensor.options().device(at::kMeta)) : tensor;
}

at::Tensor sum_of(const std::vector<at::Tensor>& parts, ReduceOp op) {
    const at::ScalarType type = parts.front().scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    at::Tensor sum = parts.front().to(type, /*non_blocking=*/false, /*copy=*/true);
    for (const at::Tensor& part : std::span(parts).subspan(1))
        sum = op == ReduceOp::Sum ? sum.add_(part) : at::maximum(sum, part.to(type));
    return sum;
}

class NcclCommunicator final : public Communicator {
public:
    NcclCommunicator(std::shared_ptr<NcclGroup> group, int rank) : group_(std::move(group)), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return group_->size(); }

    void all_to_all(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> out_sizes,
                    std::span<const std::int64_t> in_sizes, std::int64_t out_dim, std::int64_t in_dim,
                    const CallTag& tag) override {
        const Parts received(out_sizes), sent(in_sizes);
        REELMESH_CHECK(static_cast<int>(out_sizes.size()) == size() &&
                       static_cast<int>(in_sizes.size()) == size());
        std::vector<PeerTransfer> transfers;
        for (int peer = 0; peer < size(); ++peer)
            transfers.push_back({peer, in.narrow(in_dim, sent.start(peer), sent.size(peer)),
                                 out.narrow(out_dim, received.start(peer), received.size(peer))});
        exchange({.op = ExchangeOp::AllToAll, .tag = tag, .input = in}, transfers);
    }

    void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                    std::int64_t dim, const CallTag& tag) override {
        const Parts parts(sizes);
        REELMESH_CHECK(static_cast<int>(sizes.size()) == size());
        const at::Tensor own = in.contiguous(); // once, not for each peer
        std::vector<PeerTransfer> transfers;
        for (int peer = 0; peer < size(); ++peer)
            transfers.push_back({peer, own, out.narrow(dim, parts.start(peer), parts.size(peer))});
        exchange({.op = ExchangeOp::AllGather, .tag = tag, .input = in}, transfers);
    }

    void start_send_recv(std::span<const PeerTransfer> transfers, const CallTag& tag) override {
        start({.op = ExchangeOp::SendRecv, .tag = tag}, transfers, /*all=*/false);
    }
    void finish_send_recv() override { finish(); }

    void all_reduce(at::Tensor& tensor, ReduceOp op, const CallTag& tag) override {
        REELMESH_CHECK(tensor.is_contiguous());
        const at::Tensor flat = tensor.view({-1});
        const Parts chunks = parts_of(flat.size(0), size());
        const auto chunk_of = [&](int rank) { return flat.narrow(0, chunks.start(rank), chunks.size(rank)); };
        const at::Tensor gathered = at::empty({size(), chunks.size(rank_)}, flat.options());
        std::vector<PeerTransfer> transfers;
        for (int peer = 0; peer < size(); ++peer)
            transfers.push_back({peer, chunk_of(peer), gathered.select(0, peer)});
        exchange({.op = ExchangeOp::AllReduce, .tag = tag, .input = flat}, transfers);
        const at::Tensor own = chunk_of(rank_);
        own.copy_(sum_of(gathered.unbind(0), op));
        transfers.clear();
        for (int peer = 0; peer < size(); ++peer)
            if (peer != rank_) transfers.push_back({peer, own, chunk_of(peer)});
        exchange({.op = ExchangeOp::AllReduce, .tag = tag, .input = flat}, transfers);
    }

    void broadcast(at::Tensor& tensor, int root, const CallTag& tag) override {
        std::vector<PeerTransfer> transfers;
        if (rank_ != root) transfers.push_back({root, {}, tensor});
        const at::Tensor values = rank_ == root ? tensor.contiguous() : at::Tensor();
        for (int peer = 0; peer < size(); ++peer)
            if (rank_ == root && peer != root) transfers.push_back({peer, values, {}});
        exchange({.op = ExchangeOp::Broadcast, .tag = tag, .input = tensor}, transfers);
    }

    void barrier(const CallTag& tag) override { exchange({.op = ExchangeOp::Barrier, .tag = tag}, {}); }

    void abort(const Error& error) override { group_->abort(error); }
    std::optional<Error> state() const override { return group_->board().state(); }
    void set_deadline(std::chrono::milliseconds deadline) override { group_->set_deadline(deadline); }
    std::int64_t waited_ns() const override { return waited_ns_; }

private:
    void exchange(PostedCall call, std::span<const PeerTransfer> transfers) {
        start(std::move(call), transfers, /*all=*/true);
        finish();
    }

    /// all: every rank takes part, not only those that a transfer names.
    void start(PostedCall call, std::span<const PeerTransfer> transfers, bool all) {
        REELMESH_CHECK(!pending_);
        const c10::cuda::CUDAGuard guard(group_->device(rank_));
        // Whatever can fail here does so before the peers count on this rank.
        Pending pending;
        std::vector<bool> partners(static_cast<std::size_t>(size()), all);
        for (const PeerTransfer& transfer : transfers) {
            partners[static_cast<std::size_t>(transfer.peer)] = true;
            stage(transfer, pending);
        }
        pending.operation =
            std::string(exchange_op_name(call.op)) + " " + exchange_purpose_name(call.tag.purpose);
        call.input = shape_of(call.input);
        if (!all)
            for (const PeerTransfer& transfer : transfers)
                call.transfers.push_back(
                    {transfer.peer, shape_of(transfer.send), shape_of(transfer.receive)});
        meet(std::move(call), partners);
        translate_aborts([&] { pending.work = group_->post(rank_, pending.transfers); });
        pending_ = std::move(pending);
    }

    void finish() {
        REELMESH_CHECK(pending_);
        const c10::cuda::CUDAGuard guard(group_->device(rank_));
        const Pending pending = std::move(*pending_);
        pending_.reset();
        translate_aborts([&] {
            if (pending.work) pending.work->wait(); // the stream does, not the host
        });
        for (const Unpack& part : pending.unpack)
            part.to.copy_(part.from, /*non_blocking=*/true);
        if (!pending.work) return;
        c10::Event done(c10::DeviceType::CUDA);
        done.record(c10::cuda::getCurrentCUDAStream(group_->device(rank_).index()).unwrap());
        group_->watch(rank_, std::move(done), pending.operation);
    }

    /// NCCL sends and receives whole runs of memory; a pair's empty part is left out on both of its sides.
    void stage(const PeerTransfer& transfer, Pending& pending) const {
        const bool receives = transfer.receive.defined() && transfer.receive.numel() > 0;
        const bool sends = transfer.send.defined() && transfer.send.numel() > 0;
        if (transfer.peer == rank_) {
            if (receives) pending.unpack.push_back({transfer.receive, transfer.send});
            return;
        }
        PeerTransfer staged{transfer.peer, {}, {}};
        if (sends) staged.send = transfer.send.contiguous();
        if (receives) {
            staged.receive = transfer.receive.is_contiguous()
                                 ? transfer.receive
                                 : at::empty(transfer.receive.sizes(), transfer.receive.options());
            if (!transfer.receive.is_contiguous())
                pending.unpack.push_back({transfer.receive, staged.receive});
        }
        if (sends || receives) pending.transfers.push_back(std::move(staged));
    }

    /// Waits on the host until the partners have issued the call.
    void meet(PostedCall call, const std::vector<bool>& partners) {
        PeerBoard& board = group_->board();
        board.post(rank_, ++sequence_, std::move(call));
        const std::int64_t start_ns = steady_now_ns();
        for (int peer = 0; peer < size(); ++peer)
            if (partners[static_cast<std::size_t>(peer)]) board.await_call(rank_, peer, sequence_);
        waited_ns_ += steady_now_ns() - start_ns;
        board.finish(rank_, sequence_, std::nullopt);
    }

    /// What NCCL says about a communicator that was aborted under it is not the error to tell.
    template <class F>
    void translate_aborts(F&& function) {
        try {
            function();
        } catch (...) {
            if (state()) fail(ErrorCode::CommunicatorAborted);
            throw;
        }
    }

    std::shared_ptr<NcclGroup> group_;
    int rank_;
    std::uint64_t sequence_ = 0;
    std::int64_t waited_ns_ = 0;
    std::optional<Pending> pending_;
};

} // namespace

std::vector<std::shared_ptr<Communicator>> make_nccl_group(std::span<const int> devices,
                                                           const PeerOptions& options) {
    const auto group = std::make_shared<NcclGroup>(devices, options);
    std::vector<std::shared_ptr<Communicator>> members;
    for (int rank = 0; rank < group->size(); ++rank)
        members.push_back(std::make_shared<NcclCommunicator>(group, rank));
    return members;
}

} // namespace reelmesh
