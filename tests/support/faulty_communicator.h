// Decorator that makes one call of one rank go wrong: what a driver, a bug or a slow machine may do.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <thread>

#include "base/check.h"
#include "comm/communicator.h"

namespace reelmesh::testing {

enum class Fault { None, Delay, Throw, Skip, WrongSize };
inline const char* fault_name(Fault fault) {
    constexpr const char* kNames[] = {"none", "delay", "throw", "skip", "wrong size"};
    return kNames[static_cast<int>(fault)];
}

/// Which rank's call is hit; calls are counted over all groups of the rank. Shared by a mesh's communicators,
/// set between jobs. Counting goes on without a fault, so that a clean run tells how many calls there are.
struct FaultPlan {
    Fault fault = Fault::None;
    int rank = -1;
    int call = -1;
    std::array<std::atomic<int>, 16> calls{}; ///< by rank, since the last reset
    std::atomic<bool> hit{false};

    void set(Fault next, int at_rank, int at_call) {
        fault = next;
        rank = at_rank;
        call = at_call;
        hit = false;
        for (auto& count : calls)
            count = 0;
    }
};

class FaultyCommunicator final : public Communicator {
public:
    FaultyCommunicator(std::shared_ptr<Communicator> inner, int mesh_rank, FaultPlan* plan)
        : inner_(std::move(inner)), mesh_rank_(mesh_rank), plan_(plan) {}

    int rank() const override { return inner_->rank(); }
    int size() const override { return inner_->size(); }

    void all_to_all(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> out_sizes,
                    std::span<const std::int64_t> in_sizes, std::int64_t out_dim, std::int64_t in_dim,
                    const CallTag& tag) override {
        call([&](bool wrong) {
            inner_->all_to_all(out, wrong ? in.narrow(out_dim, 0, in.size(out_dim) - 1) : in, out_sizes,
                               in_sizes, out_dim, in_dim, tag);
        });
    }
    void all_gather(at::Tensor& out, const at::Tensor& in, std::span<const std::int64_t> sizes,
                    std::int64_t dim, const CallTag& tag) override {
        call([&](bool wrong) {
            inner_->all_gather(out, wrong ? in.narrow(dim, 0, in.size(dim) - 1) : in, sizes, dim, tag);
        });
    }
    void start_send_recv(std::span<const PeerTransfer> transfers, const CallTag& tag) override {
        skipped_ = true;
        call([&](bool wrong) {
            std::vector<PeerTransfer> changed(transfers.begin(), transfers.end());
            for (PeerTransfer& transfer : changed)
                if (wrong && transfer.send.defined())
                    transfer.send = transfer.send.narrow(0, 0, transfer.send.size(0) - 1);
            inner_->start_send_recv(changed, tag);
            skipped_ = false;
        });
    }
    void finish_send_recv() override {
        if (!skipped_) inner_->finish_send_recv();
    }
    void all_reduce(at::Tensor& tensor, ReduceOp op, const CallTag& tag) override {
        call([&](bool wrong) {
            at::Tensor part = wrong ? tensor.narrow(0, 0, tensor.size(0) - 1) : tensor;
            inner_->all_reduce(part, op, tag);
        });
    }
    void broadcast(at::Tensor& tensor, int root, const CallTag& tag) override {
        call([&](bool) { inner_->broadcast(tensor, root, tag); });
    }
    void barrier(const CallTag& tag) override {
        call([&](bool) { inner_->barrier(tag); });
    }
    void abort(const Error& error) override { inner_->abort(error); }
    std::optional<Error> state() const override { return inner_->state(); }
    void set_deadline(std::chrono::milliseconds deadline) override { inner_->set_deadline(deadline); }
    std::int64_t waited_ns() const override { return inner_->waited_ns(); }

private:
    void call(const std::function<void(bool wrong_size)>& function) {
        const int number = plan_->calls[static_cast<std::size_t>(mesh_rank_)]++;
        const bool hit = plan_->fault != Fault::None && plan_->rank == mesh_rank_ && plan_->call == number;
        if (hit) plan_->hit = true;
        if (hit && plan_->fault == Fault::Skip) return;
        if (hit && plan_->fault == Fault::Throw)
            fail(ErrorCode::OutOfMemory,
                 {{"needed_bytes", std::uint64_t{7}}, {"free_bytes", std::uint64_t{3}}});
        if (hit && plan_->fault == Fault::Delay) std::this_thread::sleep_for(std::chrono::milliseconds(30));
        function(hit && plan_->fault == Fault::WrongSize);
    }

    std::shared_ptr<Communicator> inner_;
    int mesh_rank_;
    FaultPlan* plan_;
    bool skipped_ = false;
};

} // namespace reelmesh::testing
