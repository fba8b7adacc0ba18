#include "comm/checked_communicator.h"

#include <ATen/core/Tensor.h>
#include <c10/core/ScalarType.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>

#include "base/check.h"

namespace reelmesh {
namespace {

/// One slot a rank; a generation is complete when every rank has posted its signature.
class SignatureBoard {
public:
    explicit SignatureBoard(std::size_t size) : posted_(size, 0), signatures_(size) {}

    /// Throws CommunicatorMismatch when two ranks differ, CommunicatorAborted when the group has failed.
    void compare(std::size_t rank, std::string signature, Communicator& inner) {
        std::unique_lock lock(mutex_);
        const std::uint64_t generation = ++posted_[rank];
        // Two slots in turn: a fast rank may post its next call while a slow one still reads this one.
        signatures_[rank][generation % 2] = std::move(signature);
        changed_.notify_all();
        while (!complete(generation)) {
            if (inner.state()) fail(ErrorCode::CommunicatorAborted);
            changed_.wait_for(lock, std::chrono::milliseconds(20));
        }
        const std::string& mine = signatures_[rank][generation % 2];
        for (std::size_t peer = 0; peer < signatures_.size(); ++peer) {
            const std::string& theirs = signatures_[peer][generation % 2];
            if (theirs == mine) continue;
            const Error error = make_error(ErrorCode::CommunicatorMismatch,
                                           {{"found", "rank " + std::to_string(rank) + ": " + mine},
                                            {"needed", "rank " + std::to_string(peer) + ": " + theirs}});
            inner.abort(error);
            throw EngineException(error);
        }
    }

private:
    bool complete(std::uint64_t generation) const {
        for (const std::uint64_t posted : posted_)
            if (posted < generation) return false;
        return true;
    }

    std::mutex mutex_; // guards all below
    std::condition_variable changed_;
    std::vector<std::uint64_t> posted_;
    std::vector<std::array<std::string, 2>> signatures_;
};

class CheckedCommunicator final : public Communicator {
public:
    CheckedCommunicator(std::shared_ptr<Communicator> inner, std::shared_ptr<SignatureBoard> board)
        : inner_(std::move(inner)), board_(std::move(board)) {}

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }

    void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                    std::int64_t dim, const CallTag& tag) override {
        std::string signature = "all_gather " + std::string(tag.purpose) + " " +
                                c10::toString(in.scalar_type()) + " along " + std::to_string(dim) + " sizes";
        for (const std::int64_t size : sizes)
            signature += " " + std::to_string(size);
        compare(signature);
        inner_->all_gather(out, in, sizes, dim, tag);
    }

    void barrier(const CallTag& tag) override {
        compare("barrier " + std::string(tag.purpose));
        inner_->barrier(tag);
    }

    void abort(const Error& error) override { inner_->abort(error); }
    std::optional<Error> state() const override { return inner_->state(); }
    std::int64_t waited_ns() const override { return inner_->waited_ns(); }

private:
    void compare(const std::string& signature) {
        board_->compare(static_cast<std::size_t>(rank()), signature, *inner_);
    }

    std::shared_ptr<Communicator> inner_;
    std::shared_ptr<SignatureBoard> board_;
};

} // namespace

std::vector<std::shared_ptr<Communicator>>
make_checked_group(std::vector<std::shared_ptr<Communicator>> inner) {
    const auto board = std::make_shared<SignatureBoard>(inner.size());
    for (auto& member : inner)
        member = std::make_shared<CheckedCommunicator>(std::move(member), board);
    return inner;
}

} // namespace reelmesh
