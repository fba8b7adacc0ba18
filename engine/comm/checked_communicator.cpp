#include "comm/checked_communicator.h"

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

#include "base/check.h"
#include "comm/parts.h"
#include "telemetry/writer.h"

namespace reelmesh {
namespace {

/// One call as a rank issued it. call must be the same on all ranks; what a rank sends to another must be
/// what that one receives from it.
struct CallSignature {
    std::string call;
    std::vector<std::string> sends, receives; ///< by peer; empty: nothing moves in parts
};

/// Two slots a rank, used in turn: a fast rank may post its next call while a slow one still reads this one.
class SignatureBoard {
public:
    SignatureBoard(std::size_t size, const std::vector<int>& mesh_ranks)
        : posted_(size, 0), signatures_(size) {
        for (std::size_t i = 0; i < size; ++i)
            names_.push_back("rank " +
                             std::to_string(mesh_ranks.empty() ? static_cast<int>(i) : mesh_ranks[i]));
    }

    void set_deadline(std::chrono::milliseconds deadline) {
        const std::lock_guard lock(mutex_);
        deadline_ = deadline;
    }

    /// Throws CommunicatorMismatch when two ranks differ, CommunicatorAborted when the group has failed,
    /// CommunicatorTimeout when a rank does not come.
    void compare(std::size_t rank, CallSignature signature, Communicator& inner) {
        if (inner.state()) fail(ErrorCode::CommunicatorAborted);
        std::unique_lock lock(mutex_);
        const std::uint64_t generation = ++posted_[rank];
        signatures_[rank][generation % 2] = std::move(signature);
        changed_.notify_all();
        const auto limit = std::chrono::steady_clock::now() + deadline_;
        while (!complete(generation)) {
            if (inner.state()) fail(ErrorCode::CommunicatorAborted);
            if (std::chrono::steady_clock::now() >= limit) time_out(rank, generation);
            changed_.wait_for(lock, std::chrono::milliseconds(20));
        }
        for (std::size_t peer = 0; peer < signatures_.size(); ++peer)
            if (const auto fault = difference(rank, peer, generation)) {
                inner.abort(*fault);
                throw EngineException(*fault);
            }
    }

private:
    bool complete(std::uint64_t generation) const {
        for (const std::uint64_t posted : posted_)
            if (posted < generation) return false;
        return true;
    }

    std::optional<Error> difference(std::size_t rank, std::size_t peer, std::uint64_t generation) const {
        const CallSignature& mine = signatures_[rank][generation % 2];
        const CallSignature& theirs = signatures_[peer][generation % 2];
        if (mine.call != theirs.call) return mismatch(rank, mine.call, peer, theirs.call);
        if (mine.sends.empty()) return std::nullopt;
        if (mine.sends[peer] != theirs.receives[rank])
            return mismatch(rank, mine.call + " sends " + mine.sends[peer], peer,
                            theirs.call + " receives " + theirs.receives[rank]);
        if (mine.receives[peer] != theirs.sends[rank])
            return mismatch(rank, mine.call + " receives " + mine.receives[peer], peer,
                            theirs.call + " sends " + theirs.sends[rank]);
        return std::nullopt;
    }

    Error mismatch(std::size_t rank, const std::string& mine, std::size_t peer,
                   const std::string& theirs) const {
        return make_error(ErrorCode::CommunicatorMismatch,
                          {{"found", names_[rank] + ": " + mine}, {"needed", names_[peer] + ": " + theirs}});
    }

    [[noreturn]] void time_out(std::size_t rank, std::uint64_t generation) const {
        std::string missing;
        std::vector<std::string> last_calls;
        for (std::size_t peer = 0; peer < posted_.size(); ++peer) {
            const std::string& name = names_[peer];
            if (posted_[peer] < generation) missing += (missing.empty() ? "" : ", ") + name;
            last_calls.push_back(name + ": " +
                                 (posted_[peer] == 0 ? "nothing yet"
                                                     : "operation " + std::to_string(posted_[peer]) + ", " +
                                                           signatures_[peer][posted_[peer] % 2].call));
        }
        fail(ErrorCode::CommunicatorTimeout, {{"operation", "operation " + std::to_string(generation) + ", " +
                                                                signatures_[rank][generation % 2].call},
                                              {"missing", missing},
                                              {"last_calls", last_calls}});
    }

    std::mutex mutex_; // guards all below
    std::condition_variable changed_;
    std::chrono::milliseconds deadline_{std::chrono::minutes{10}};
    std::vector<std::string> names_;
    std::vector<std::uint64_t> posted_;
    std::vector<std::array<CallSignature, 2>> signatures_;
};

/// "Float 2 7 4": what a part must look like on both of its ends.
std::string part_text(const at::Tensor& part) {
    std::string text = c10::toString(part.scalar_type());
    for (const std::int64_t size : part.sizes())
        text += " " + std::to_string(size);
    return text;
}

void poison(at::Tensor& tensor) {
    if (at::isFloatingType(tensor.scalar_type())) tensor.fill_(std::numeric_limits<double>::quiet_NaN());
}

class CheckedCommunicator final : public Communicator {
public:
    CheckedCommunicator(std::shared_ptr<Communicator> inner, std::shared_ptr<SignatureBoard> board,
                        const CheckSwitch* check_switch)
        : inner_(std::move(inner)), board_(std::move(board)), switch_(check_switch) {}

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }

    void all_to_all(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> out_sizes,
                    std::span<const std::int64_t> in_sizes, std::int64_t out_dim, std::int64_t in_dim,
                    const CallTag& tag) override {
        if (on()) {
            std::vector<std::string> sends, receives;
            const Parts sent(in_sizes), received(out_sizes);
            for (int peer = 0; peer < size(); ++peer) {
                sends.push_back(part_text(in.narrow(in_dim, sent.start(peer), sent.size(peer))));
                receives.push_back(part_text(out.narrow(out_dim, received.start(peer), received.size(peer))));
            }
            compare(ExchangeOp::AllToAll, tag, "", std::move(sends), std::move(receives));
            poison(out);
        }
        inner_->all_to_all(out, in, out_sizes, in_sizes, out_dim, in_dim, tag);
    }

    void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                    std::int64_t dim, const CallTag& tag) override {
        if (on()) {
            std::vector<std::string> sends(static_cast<std::size_t>(size()), part_text(in)), receives;
            const Parts parts(sizes);
            for (int peer = 0; peer < size(); ++peer)
                receives.push_back(part_text(out.narrow(dim, parts.start(peer), parts.size(peer))));
            compare(ExchangeOp::AllGather, tag, " along " + std::to_string(dim), std::move(sends),
                    std::move(receives));
            poison(out);
        }
        inner_->all_gather(out, in, sizes, dim, tag);
    }

    void start_send_recv(std::span<const PeerTransfer> transfers, const CallTag& tag) override {
        if (on()) {
            std::vector<std::string> sends(static_cast<std::size_t>(size())), receives(sends);
            for (const PeerTransfer& transfer : transfers) {
                const auto peer = static_cast<std::size_t>(transfer.peer);
                if (transfer.send.defined()) sends[peer] = part_text(transfer.send);
                if (transfer.receive.defined()) receives[peer] = part_text(transfer.receive);
            }
            compare(ExchangeOp::SendRecv, tag, "", std::move(sends), std::move(receives));
            for (PeerTransfer transfer : transfers)
                if (transfer.receive.defined()) poison(transfer.receive);
        }
        inner_->start_send_recv(transfers, tag);
    }
    void finish_send_recv() override { inner_->finish_send_recv(); }

    void all_reduce(at::Tensor& tensor, ReduceOp op, const CallTag& tag) override {
        const char* name = op == ReduceOp::Sum ? " sum " : " max ";
        if (on()) compare(ExchangeOp::AllReduce, tag, name + part_text(tensor));
        inner_->all_reduce(tensor, op, tag);
    }

    void broadcast(at::Tensor& tensor, int root, const CallTag& tag) override {
        if (on()) {
            compare(ExchangeOp::Broadcast, tag, " from " + std::to_string(root) + " " + part_text(tensor));
            if (rank() != root) poison(tensor);
        }
        inner_->broadcast(tensor, root, tag);
    }

    void barrier(const CallTag& tag) override {
        if (on()) compare(ExchangeOp::Barrier, tag, "");
        inner_->barrier(tag);
    }

    void abort(const Error& error) override { inner_->abort(error); }
    std::optional<Error> state() const override { return inner_->state(); }
    void set_deadline(std::chrono::milliseconds deadline) override {
        board_->set_deadline(deadline);
        inner_->set_deadline(deadline);
    }
    std::int64_t waited_ns() const override { return inner_->waited_ns() + waited_ns_; }

private:
    bool on() const { return !switch_ || switch_->on; }

    void compare(ExchangeOp op, const CallTag& tag, const std::string& rest,
                 std::vector<std::string> sends = {}, std::vector<std::string> receives = {}) {
        CallSignature signature;
        signature.call = std::string(exchange_op_name(op)) + " " + exchange_purpose_name(tag.purpose) + rest;
        if (tag.layer >= 0) signature.call += " layer " + std::to_string(tag.layer);
        if (tag.hop >= 0) signature.call += " hop " + std::to_string(tag.hop);
        signature.sends = std::move(sends);
        signature.receives = std::move(receives);
        const std::int64_t start_ns = steady_now_ns();
        board_->compare(static_cast<std::size_t>(rank()), std::move(signature), *inner_);
        waited_ns_ += steady_now_ns() - start_ns;
    }

    std::shared_ptr<Communicator> inner_;
    std::shared_ptr<SignatureBoard> board_;
    const CheckSwitch* switch_;
    std::int64_t waited_ns_ = 0;
};

} // namespace

std::vector<std::shared_ptr<Communicator>>
make_checked_group(std::vector<std::shared_ptr<Communicator>> inner, const CheckSwitch* check_switch,
                   const std::vector<int>& mesh_ranks) {
    const auto board = std::make_shared<SignatureBoard>(inner.size(), mesh_ranks);
    for (auto& member : inner)
        member = std::make_shared<CheckedCommunicator>(std::move(member), board, check_switch);
    return inner;
}

} // namespace reelmesh
