// What the ranks of a peer group show each other: one cell a rank with its call in progress. A rank posts its
// call, reads from those that it receives from, says that it is done, and leaves only when all that read from
// it are done too. Waiting spins briefly, then sleeps; abort() and the deadline end every wait.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Event.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "comm/communicator.h"
#include "comm/peer/peer_communicator.h"

namespace reelmesh {

/// A call as its readers see it; valid while they read.
struct PostedCall {
    ExchangeOp op = ExchangeOp::Barrier;
    CallTag tag;
    at::Tensor input;                     ///< undefined: nothing to read
    std::vector<std::int64_t> part_sizes; ///< all_to_all: of input along its dimension
    std::vector<PeerTransfer> transfers;  ///< send_recv
    std::optional<c10::Event> ready;      ///< on a device: the input is written
    c10::Device device = at::kCPU;        ///< of the tensors
};

class PeerBoard {
public:
    PeerBoard(int size, PeerOptions options);

    int size() const { return static_cast<int>(cells_.size()); }
    const PeerOptions& options() const { return options_; }
    /// Begins the rank's next call, the sequence-th.
    void post(int rank, std::uint64_t sequence, PostedCall call);
    /// The peer's call of the same number, as soon as it is posted.
    const PostedCall& await_call(int rank, int peer, std::uint64_t sequence);
    /// The rank has read all that it reads.
    void finish(int rank, std::uint64_t sequence, std::optional<c10::Event> done);
    /// Waits until these have finished the call; on a device the current stream waits for their copies.
    void await_finished(int rank, std::span<const int> readers, std::uint64_t sequence, c10::Device device);

    /// The call is over for everybody: its tensors are let go, what it was stays for reports.
    void forget(int rank, std::uint64_t sequence);

    void abort(const Error& error);
    std::optional<Error> state() const;
    void set_deadline(std::chrono::milliseconds deadline) { deadline_ = deadline; }

private:
    struct Cell {
        std::atomic<std::uint64_t> posted{0}, finished{0};
        /// By sequence in turn: an all_reduce posts its second half while slow ranks look at the first.
        std::array<PostedCall, 2> calls;
        std::shared_ptr<c10::Event> done; ///< guarded by mutex_
    };

    Cell& cell(int rank) { return *cells_[static_cast<std::size_t>(rank)]; }
    const Cell& cell(int rank) const { return *cells_[static_cast<std::size_t>(rank)]; }
    /// Until counter(peer) >= sequence.
    void await(int rank, int peer, std::uint64_t sequence, std::atomic<std::uint64_t> Cell::*counter);
    void wake();
    [[noreturn]] void time_out(int rank, std::uint64_t sequence, std::atomic<std::uint64_t> Cell::*counter);
    std::string rank_name(int rank) const;
    std::string call_text(int rank) const;

    const PeerOptions options_;
    std::atomic<std::chrono::milliseconds> deadline_;
    std::vector<std::unique_ptr<Cell>> cells_;
    std::atomic<bool> aborted_{false};
    mutable std::mutex mutex_; // guards error_, writing of calls; sleeping is under it
    std::condition_variable changed_;
    std::atomic<int> sleepers_{0};
    std::optional<Error> error_;
};

} // namespace reelmesh
