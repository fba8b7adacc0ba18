#include "comm/peer/board.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>
#include <thread>

#include "base/check.h"

namespace reelmesh {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kSpin{100}; // longer than waking takes, shorter than a thread is given

constexpr std::chrono::milliseconds kLongestSleep{50};

std::string shape_text(const at::Tensor& tensor) {
    std::string text = "[";
    for (const std::int64_t size : tensor.sizes())
        text += (text.size() > 1 ? "," : "") + std::to_string(size);
    return text + "] " + c10::toString(tensor.scalar_type());
}

std::string operation_text(const PostedCall& call) {
    std::string text = std::string(exchange_op_name(call.op)) + " " + exchange_purpose_name(call.tag.purpose);
    if (call.tag.layer >= 0) text += " of layer " + std::to_string(call.tag.layer);
    if (call.input.defined()) text += " " + shape_text(call.input);
    for (const PeerTransfer& transfer : call.transfers) {
        const at::Tensor& tensor = transfer.send.defined() ? transfer.send : transfer.receive;
        if (tensor.defined()) return text + " " + shape_text(tensor);
    }
    return text;
}

} // namespace

PeerBoard::PeerBoard(int size, PeerOptions options)
    : options_(std::move(options)), deadline_(options_.deadline) {
    for (int rank = 0; rank < size; ++rank)
        cells_.push_back(std::make_unique<Cell>());
}

void PeerBoard::post(int rank, std::uint64_t sequence, PostedCall call) {
    if (aborted_) fail(ErrorCode::CommunicatorAborted);
    Cell& mine = cell(rank);
    {
        // Reports read the call under the mutex.
        const std::lock_guard lock(mutex_);
        mine.calls[sequence % 2] = std::move(call);
    }
    mine.posted = sequence;
    wake();
}

const PostedCall& PeerBoard::await_call(int rank, int peer, std::uint64_t sequence) {
    await(rank, peer, sequence, &Cell::posted);
    return cell(peer).calls[sequence % 2];
}

void PeerBoard::finish(int rank, std::uint64_t sequence, std::optional<c10::Event> done) {
    if (done) {
        const std::lock_guard lock(mutex_);
        cell(rank).done = std::make_shared<c10::Event>(std::move(*done));
    }
    cell(rank).finished = sequence;
    wake();
}

void PeerBoard::await_finished(int rank, std::span<const int> readers, std::uint64_t sequence,
                               c10::Device device) {
    for (const int reader : readers) {
        if (reader == rank) continue;
        await(rank, reader, sequence, &Cell::finished);
        if (device.is_cpu()) continue;
        std::shared_ptr<c10::Event> done;
        {
            // A later event of the same stream serves as well.
            const std::lock_guard lock(mutex_);
            done = cell(reader).done;
        }
        if (done) done->block(c10::impl::VirtualGuardImpl(device.type()).getStream(device));
    }
}

void PeerBoard::forget(int rank, std::uint64_t sequence) {
    const std::lock_guard lock(mutex_);
    PostedCall& call = cell(rank).calls[sequence % 2];
    call.input = at::Tensor();
    call.transfers.clear();
}

void PeerBoard::await(int rank, int peer, std::uint64_t sequence, std::atomic<std::uint64_t> Cell::*counter) {
    const std::atomic<std::uint64_t>& value = cell(peer).*counter;
    const auto reached = [&] { return value.load() >= sequence; };
    const auto start = Clock::now();
    while (!reached()) {
        if (aborted_) fail(ErrorCode::CommunicatorAborted);
        if (Clock::now() - start < kSpin) {
            std::this_thread::yield();
            continue;
        }
        std::unique_lock lock(mutex_);
        ++sleepers_;
        if (!reached() && !aborted_)
            changed_.wait_for(lock, std::min<Clock::duration>(kLongestSleep, deadline_.load()));
        --sleepers_;
        lock.unlock();
        if (!reached() && !aborted_ && Clock::now() - start >= deadline_.load())
            time_out(rank, sequence, counter);
    }
}

void PeerBoard::wake() {
    // A sleeper counts itself before it looks at the counters a last time, so none is missed.
    if (sleepers_.load() == 0) return;
    { const std::lock_guard lock(mutex_); }
    changed_.notify_all();
}

void PeerBoard::time_out(int rank, std::uint64_t sequence, std::atomic<std::uint64_t> Cell::*counter) {
    Error error;
    {
        const std::lock_guard lock(mutex_);
        std::string missing;
        std::vector<std::string> last_calls;
        for (int peer = 0; peer < size(); ++peer) {
            if ((cell(peer).*counter).load() < sequence)
                missing += (missing.empty() ? "" : ", ") + rank_name(peer);
            last_calls.push_back(rank_name(peer) + ": " + call_text(peer));
        }
        error = make_error(ErrorCode::CommunicatorTimeout,
                           {{"operation", "operation " + std::to_string(sequence) + " of " +
                                              (options_.group.empty() ? "its group" : options_.group) + ", " +
                                              operation_text(cell(rank).calls[sequence % 2])},
                            {"missing", missing},
                            {"last_calls", last_calls}});
    }
    throw EngineException(error);
}

std::string PeerBoard::rank_name(int rank) const {
    const int in_mesh =
        options_.mesh_ranks.empty() ? rank : options_.mesh_ranks[static_cast<std::size_t>(rank)];
    return "rank " + std::to_string(in_mesh);
}

std::string PeerBoard::call_text(int rank) const {
    const std::uint64_t posted = cell(rank).posted.load();
    if (posted == 0) return "nothing yet";
    const char* progress = cell(rank).finished.load() >= posted ? "done with " : "in ";
    return progress + std::string("operation ") + std::to_string(posted) + ", " +
           operation_text(cell(rank).calls[posted % 2]);
}

void PeerBoard::abort(const Error& error) {
    {
        const std::lock_guard lock(mutex_);
        if (!error_) error_ = error;
        aborted_ = true;
    }
    changed_.notify_all();
}

std::optional<Error> PeerBoard::state() const {
    const std::lock_guard lock(mutex_);
    return error_;
}

} // namespace reelmesh
