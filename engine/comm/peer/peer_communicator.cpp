#include "comm/peer/peer_communicator.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <string>

#include "base/check.h"
#include "telemetry/writer.h"

namespace reelmesh {
namespace {

/// What a rank shows of its current call. sequence counts its calls from 1.
struct Cell {
    std::uint64_t issued = 0;   ///< sequence of the last call whose input may be read
    std::uint64_t finished = 0; ///< sequence of the last call that has read all its inputs
    at::Tensor input;
};

class Board {
public:
    Board(int size, const PeerOptions& options) : options_(options), cells_(static_cast<std::size_t>(size)) {}

    int size() const { return static_cast<int>(cells_.size()); }

    void issue(int rank, std::uint64_t sequence, const at::Tensor& input) {
        const std::lock_guard lock(mutex_);
        throw_if_aborted();
        cell(rank).input = input;
        cell(rank).issued = sequence;
        changed_.notify_all();
    }

    /// The peer's tensor once it has issued the same call.
    at::Tensor await_input(int peer, std::uint64_t sequence, const CallTag& tag) {
        std::unique_lock lock(mutex_);
        await(lock, tag, peer, [&] { return cell(peer).issued >= sequence; });
        return cell(peer).input;
    }

    void finish(int rank, std::uint64_t sequence, const CallTag& tag) {
        std::unique_lock lock(mutex_);
        cell(rank).finished = sequence;
        changed_.notify_all();
        // Until every reader is through, the caller may not touch its input.
        for (int peer = 0; peer < size(); ++peer)
            await(lock, tag, peer, [&] { return cell(peer).finished >= sequence; });
        cell(rank).input = at::Tensor();
    }

    void abort(const Error& error) {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = error;
        changed_.notify_all();
    }

    std::optional<Error> state() const {
        const std::lock_guard lock(mutex_);
        return error_;
    }

private:
    Cell& cell(int rank) { return cells_[static_cast<std::size_t>(rank)]; }

    void throw_if_aborted() const {
        if (error_) fail(ErrorCode::CommunicatorAborted);
    }

    template <class Condition>
    void await(std::unique_lock<std::mutex>& lock, const CallTag& tag, int peer, Condition condition) {
        const auto limit = std::chrono::steady_clock::now() + options_.deadline;
        while (true) {
            throw_if_aborted();
            if (condition()) return;
            if (changed_.wait_until(lock, limit) == std::cv_status::timeout && !condition() && !error_)
                fail(ErrorCode::CommunicatorTimeout,
                     {{"operation", std::string(tag.purpose)}, {"missing", "rank " + std::to_string(peer)}});
        }
    }

    const PeerOptions options_;
    mutable std::mutex mutex_; // guards cells_ and error_
    std::condition_variable changed_;
    std::vector<Cell> cells_;
    std::optional<Error> error_;
};

class PeerCommunicator final : public Communicator {
public:
    PeerCommunicator(std::shared_ptr<Board> board, int rank) : board_(std::move(board)), rank_(rank) {}

    int rank() const override { return rank_; }
    int size() const override { return board_->size(); }

    void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                    std::int64_t dim, const CallTag& tag) override {
        REELMESH_CHECK(static_cast<int>(sizes.size()) == size());
        const std::uint64_t sequence = ++sequence_;
        board_->issue(rank_, sequence, in);
        std::int64_t offset = 0;
        for (int peer = 0; peer < size(); ++peer) {
            const std::int64_t length = sizes[static_cast<std::size_t>(peer)];
            const std::int64_t start_ns = steady_now_ns();
            const at::Tensor source = board_->await_input(peer, sequence, tag);
            waited_ns_ += steady_now_ns() - start_ns;
            REELMESH_CHECK(source.size(dim) == length && source.scalar_type() == out.scalar_type());
            out.narrow(dim, offset, length).copy_(source);
            offset += length;
        }
        const std::int64_t start_ns = steady_now_ns();
        board_->finish(rank_, sequence, tag);
        waited_ns_ += steady_now_ns() - start_ns;
    }

    void barrier(const CallTag& tag) override {
        const std::uint64_t sequence = ++sequence_;
        board_->issue(rank_, sequence, {});
        board_->finish(rank_, sequence, tag);
    }

    void abort(const Error& error) override { board_->abort(error); }
    std::optional<Error> state() const override { return board_->state(); }
    std::int64_t waited_ns() const override { return waited_ns_; }

private:
    std::shared_ptr<Board> board_;
    int rank_;
    std::uint64_t sequence_ = 0;
    std::int64_t waited_ns_ = 0;
};

} // namespace

std::vector<std::shared_ptr<Communicator>> make_peer_group(int size, const PeerOptions& options) {
    const auto board = std::make_shared<Board>(size, options);
    std::vector<std::shared_ptr<Communicator>> group;
    for (int rank = 0; rank < size; ++rank)
        group.push_back(std::make_shared<PeerCommunicator>(board, rank));
    return group;
}

} // namespace reelmesh
