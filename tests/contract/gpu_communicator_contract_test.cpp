// The communicator contract where ranks own GPUs: peers on one GPU, peers on several, directly and through
// the host, NCCL. Every result is held bit for bit against a serial model on the CPU. The suite runs over CPU
// peers too, so that it is known to be right on machines where the rest is skipped.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <random>
#include <thread>

#include "base/check.h"
#include "comm/checked_communicator.h"
#include "comm/parts.h"
#include "comm/peer/peer_communicator.h"
#include "device/cuda_backend.h"
#ifdef REELMESH_SIMULATED_GPUS
#include "support/with_fault.h"
#endif

namespace reelmesh {
namespace {

using namespace std::chrono_literals;
using Group = std::vector<std::shared_ptr<Communicator>>;
using Sizes = std::vector<std::int64_t>;

enum class Ranks { OnCpu, OnOneGpu, OnAllGpus };
enum class Backend { Peer, CheckedPeer, StagedPeer, Nccl };

struct Placing {
    const char* name;
    Backend backend;
    Ranks where;
    int ranks;              ///< OnAllGpus: at least; all are used
    const char* fault = ""; ///< of simulated GPUs
};

class GpuCommunicatorContract : public ::testing::TestWithParam<Placing> {
protected:
    void SetUp() override {
        const Placing& placing = GetParam();
        devices_.assign(static_cast<std::size_t>(placing.ranks), c10::Device(at::kCPU));
        if (placing.where == Ranks::OnCpu) return;
        const CudaPart& cuda = cuda_part();
        if (!cuda.backend) GTEST_SKIP() << cuda.reason;
#ifdef REELMESH_SIMULATED_GPUS
        fault_.emplace(placing.fault);
#else
        if (*placing.fault) GTEST_SKIP() << "of simulated GPUs";
#endif
        if (placing.backend == Backend::Nccl && cuda.backend->nccl_version().empty())
            GTEST_SKIP() << "there is no NCCL";
        const auto count = static_cast<int>(cuda.backend->devices().size());
        if (placing.where == Ranks::OnAllGpus && count < placing.ranks)
            GTEST_SKIP() << "needs " << placing.ranks << " GPUs, this machine has " << count;
        if (placing.where == Ranks::OnAllGpus) devices_.assign(static_cast<std::size_t>(count), at::kCPU);
        for (std::size_t rank = 0; rank < devices_.size(); ++rank)
            devices_[rank] = {at::kCUDA, static_cast<c10::DeviceIndex>(
                                             placing.where == Ranks::OnAllGpus ? rank : std::size_t{0})};
    }

    int size() const {
        return static_cast<int>(devices_.size());
    }

    Group make() const {
        PeerOptions options{.deadline = 20s, .mesh_ranks = {}, .group = "test"};
        if (GetParam().backend == Backend::StagedPeer)
            for (const c10::Device a : devices_)
                for (const c10::Device b : devices_)
                    options.staged.add(a, b);
        if (GetParam().backend == Backend::Peer || GetParam().backend == Backend::StagedPeer)
            return make_peer_group(size(), options);
        if (GetParam().backend == Backend::CheckedPeer)
            return make_checked_group(make_peer_group(size(), options));
        std::vector<int> indices(devices_.size());
        std::iota(indices.begin(), indices.end(), 0);
        return cuda_part().backend->make_nccl_group(indices, options);
    }

    /// Every rank calls the function on a thread and, on a GPU, a stream of its own; errors in rank order.
    std::vector<Error> on_ranks(const std::function<void(int rank, c10::Device)>& function) const {
        std::vector<Error> errors(devices_.size());
        std::vector<std::thread> threads;
        for (std::size_t rank = 0; rank < devices_.size(); ++rank)
            threads.emplace_back([&, rank] {
                const auto result = catch_errors([&] {
                    const c10::Device device = devices_[rank];
                    const c10::DeviceGuard guard(device);
                    c10::OptionalStreamGuard stream;
                    if (device.is_cuda())
                        stream.reset_stream(
                            c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device));
                    function(static_cast<int>(rank), device);
                    return 0;
                });
                if (!result) errors[rank] = result.error();
            });
        for (std::thread& thread : threads)
            thread.join();
        return errors;
    }

    void expect_on_ranks(const std::function<void(int rank, c10::Device)>& function) const {
        for (const Error& error : on_ranks(function))
            EXPECT_EQ(error.code, ErrorCode::None) << error_message(error);
    }

    std::vector<c10::Device> devices_;

private:
#ifdef REELMESH_SIMULATED_GPUS
    std::optional<testing::WithFault> fault_;
#endif
};

/// What a rank holds before a call: the same on every rank that asks.
at::Tensor values(std::uint64_t call, int rank, at::IntArrayRef shape, at::ScalarType type) {
    auto generator = at::make_generator<at::CPUGeneratorImpl>(call * 64 + static_cast<std::uint64_t>(rank));
    if (type == at::kByte) return at::randint(256, shape, generator, at::TensorOptions(type));
    return at::randn(shape, generator, at::TensorOptions(at::kFloat)).to(type);
}

/// The same values, last axis outermost in memory.
at::Tensor strided(const at::Tensor& tensor) {
    return tensor.transpose(0, -1).contiguous().transpose(0, -1);
}

void expect_equal(const at::Tensor& found, const at::Tensor& needed, const std::string& what) {
    EXPECT_TRUE(found.cpu().equal(needed)) << what << " " << c10::toString(needed.scalar_type());
}

/// One rank's side of one call of each operation, and its serial model. call seeds shapes and values.
struct ModelCall {
    Communicator& comm;
    c10::Device device;
    at::ScalarType type;
    std::uint64_t call;

    int size() const { return comm.size(); }
    at::Tensor mine(at::IntArrayRef shape) const { return values(call, comm.rank(), shape, type).to(device); }
    at::Tensor blank(at::IntArrayRef shape) const {
        return strided(at::full(shape, 7, at::TensorOptions(type).device(device)));
    }
    /// 0 ... 4 by rank, not all alike.
    Sizes sizes(std::uint64_t salt) const {
        Sizes lengths;
        for (int rank = 0; rank < size(); ++rank)
            lengths.push_back(static_cast<std::int64_t>((call + salt + 3 * static_cast<unsigned>(rank)) % 5));
        return lengths;
    }

    void all_gather() const {
        const Parts parts(sizes(0));
        const auto shape_of = [&](int rank) { return Sizes{3, parts.size(rank), 2}; };
        at::Tensor out = blank({3, parts.total(), 2});
        comm.all_gather(out, strided(mine(shape_of(comm.rank()))), parts.sizes, 1, {});
        std::vector<at::Tensor> all;
        for (int rank = 0; rank < size(); ++rank)
            all.push_back(values(call, rank, shape_of(rank), type));
        expect_equal(out, at::cat(all, 1), "all_gather");
    }

    /// Tokens to heads: rank i has n_i rows of all heads, rank j gets all rows of its h_j heads.
    void all_to_all() const {
        const Parts rows(sizes(1)), heads(sizes(2));
        const int rank = comm.rank();
        at::Tensor out = blank({rows.total(), heads.size(rank), 3});
        comm.all_to_all(out, strided(mine({rows.size(rank), heads.total(), 3})), rows.sizes, heads.sizes, 0,
                        1, {});
        std::vector<at::Tensor> all;
        for (int peer = 0; peer < size(); ++peer)
            all.push_back(values(call, peer, {rows.size(peer), heads.total(), 3}, type)
                              .narrow(1, heads.start(rank), heads.size(rank)));
        expect_equal(out, at::cat(all, 0), "all_to_all");
    }

    /// To the next rank, from the one before; ranks whose part is empty have nothing to send.
    void send_recv() const {
        if (size() == 1) return;
        const Sizes rows = sizes(3);
        const int rank = comm.rank(), next = (rank + 1) % size(), before = (rank + size() - 1) % size();
        const auto rows_of = [&](int of) { return rows[static_cast<std::size_t>(of)]; };
        const at::Tensor sent = strided(mine({rows_of(rank), 4}));
        at::Tensor got = blank({rows_of(before), 4});
        std::vector<PeerTransfer> transfers;
        if (next == before) { // two ranks: one entry a partner
            transfers.push_back({next, sent, got});
        } else {
            transfers.push_back({next, sent, {}});
            transfers.push_back({before, {}, got});
        }
        comm.start_send_recv(transfers, {});
        const at::Tensor meanwhile = at::ones({64, 64}, at::TensorOptions(at::kFloat).device(device)).mul(2);
        comm.finish_send_recv();
        expect_equal(got, values(call, before, {rows_of(before), 4}, type), "send_recv");
        EXPECT_EQ(meanwhile.sum().item<float>(), 2 * 64 * 64);
    }

    void all_reduce(ReduceOp op) const {
        if (type == at::kByte && op == ReduceOp::Sum) return; // sums of bytes are not asked for
        const Sizes shape{5, static_cast<std::int64_t>(call % 7)};
        at::Tensor tensor = mine(shape);
        comm.all_reduce(tensor, op, {});
        at::Tensor model = values(call, 0, shape, type).to(at::kFloat);
        for (int rank = 1; rank < size(); ++rank) {
            const at::Tensor part = values(call, rank, shape, type).to(at::kFloat);
            model = op == ReduceOp::Sum ? model + part : at::maximum(model, part);
        }
        expect_equal(tensor, model.to(type), "all_reduce");
    }

    void broadcast() const {
        const int root = static_cast<int>(call % static_cast<unsigned>(size()));
        at::Tensor tensor = strided(mine({3, 5}));
        comm.broadcast(tensor, root, {});
        expect_equal(tensor, values(call, root, {3, 5}, type), "broadcast");
    }

    void run(unsigned operation) const {
        switch (operation % 6) {
        case 0: return all_gather();
        case 1: return all_to_all();
        case 2: return send_recv();
        case 3: return all_reduce(ReduceOp::Sum);
        case 4: return all_reduce(ReduceOp::Max);
        default: return broadcast();
        }
    }
};

constexpr std::array kTypes{at::kFloat, at::kBFloat16, at::kHalf, at::kByte};

TEST_P(GpuCommunicatorContract, EveryOperationEqualsTheSerialModel) {
    const Group group = make();
    expect_on_ranks([&](int rank, c10::Device device) {
        std::uint64_t call = 0;
        for (const at::ScalarType type : kTypes)
            for (unsigned operation = 0; operation < 6; ++operation)
                for (int shape = 0; shape < 5; ++shape)
                    ModelCall{*group[static_cast<std::size_t>(rank)], device, type, ++call}.run(operation);
    });
}

TEST_P(GpuCommunicatorContract, RandomCallsEqualTheSerialModel) {
    const Group group = make();
    for (const unsigned seed : {1U, 2U, 3U})
        expect_on_ranks([&](int rank, c10::Device device) {
            std::mt19937 draw(seed); // the same on every rank
            for (int i = 0; i < 60; ++i) {
                const auto type = kTypes[draw() % kTypes.size()];
                const unsigned operation = draw();
                ModelCall{*group[static_cast<std::size_t>(rank)], device, type, draw()}.run(operation);
            }
        });
}

TEST_P(GpuCommunicatorContract, TwoGroupsMayBeUsedInTurn) {
    const Group first = make(), second = make();
    expect_on_ranks([&](int rank, c10::Device device) {
        const auto member = static_cast<std::size_t>(rank);
        for (std::uint64_t call = 0; call < 30; ++call) {
            // A hop is under way on one group while the other one works.
            const int next = (rank + 1) % size(), before = (rank + size() - 1) % size();
            const at::Tensor sent = values(call, rank, {300, 7}, at::kFloat).to(device);
            const at::Tensor got = at::zeros_like(sent);
            std::vector<PeerTransfer> hop;
            if (size() == 2) hop = {{next, sent, got}};
            if (size() > 2) hop = {{next, sent, {}}, {before, {}, got}};
            first[member]->start_send_recv(hop, {});
            ModelCall{*second[member], device, at::kBFloat16, call}.run(static_cast<unsigned>(call));
            first[member]->finish_send_recv();
            if (size() > 1) expect_equal(got, values(call, before, {300, 7}, at::kFloat), "hop");
        }
    });
}

TEST_P(GpuCommunicatorContract, AnInputMayBeChangedAndFreedAfterTheCall) {
    const Group group = make();
    const Sizes ones(static_cast<std::size_t>(size()), 1);
    expect_on_ranks([&](int rank, c10::Device device) {
        Communicator& comm = *group[static_cast<std::size_t>(rank)];
        for (int round = 0; round < 50; ++round) {
            at::Tensor in = at::full({1, 100'000}, round * 10 + rank, at::TensorOptions().device(device));
            at::Tensor out = at::empty({size(), 100'000}, in.options());
            if ((round + rank) % 7 == 0) std::this_thread::sleep_for(200us);
            comm.all_gather(out, in, ones, 0, {});
            in.fill_(-1);
            in = at::full({1, 100'000}, -2, out.options()); // the allocator may hand out the same memory
            for (int peer = 0; peer < size(); ++peer)
                ASSERT_TRUE(out[peer].eq(round * 10 + peer).all().item<bool>());
        }
    });
}

TEST_P(GpuCommunicatorContract, AbortFreesEveryRankAndTheFirstErrorStays) {
    if (size() == 1) GTEST_SKIP() << "nobody waits";
    const Group group = make();
    const Error first = make_error(ErrorCode::Internal, {{"reason", std::string("first")}});
    const auto start = std::chrono::steady_clock::now();
    const std::vector<Error> errors = on_ranks([&](int rank, c10::Device device) {
        Communicator& comm = *group[static_cast<std::size_t>(rank)];
        ModelCall{comm, device, at::kFloat, 4}.all_gather(); // connected and in use
        if (rank == 0) {
            std::this_thread::sleep_for(50ms);
            comm.abort(first);
            comm.abort(make_error(ErrorCode::OutOfMemory));
            return;
        }
        ModelCall{comm, device, at::kFloat, 5}.all_to_all();
    });
    EXPECT_LT(std::chrono::steady_clock::now() - start, 10s); // hang guard: five times the promise
    for (std::size_t rank = 1; rank < errors.size(); ++rank)
        EXPECT_EQ(errors[rank].code, ErrorCode::CommunicatorAborted);
    for (const auto& member : group) {
        ASSERT_TRUE(member->state());
        EXPECT_EQ(member->state()->text("reason"), "first");
    }
    for (const Error& error :
         on_ranks([&](int rank, c10::Device) { group[static_cast<std::size_t>(rank)]->barrier({}); }))
        EXPECT_EQ(error.code, ErrorCode::CommunicatorAborted);
    // The next group on the same devices works.
    const Group next = make();
    expect_on_ranks([&](int rank, c10::Device device) {
        ModelCall{*next[static_cast<std::size_t>(rank)], device, at::kFloat, 6}.all_gather();
    });
}

TEST_P(GpuCommunicatorContract, AMissingRankIsNamedWhenTheDeadlineIsOver) {
    if (size() == 1) GTEST_SKIP() << "nobody waits";
    const Group group = make();
    for (const auto& member : group)
        member->set_deadline(100ms);
    const std::vector<Error> errors = on_ranks([&](int rank, c10::Device) {
        if (rank != size() - 1) group[static_cast<std::size_t>(rank)]->barrier({});
    });
    for (std::size_t rank = 0; rank + 1 < errors.size(); ++rank) {
        EXPECT_EQ(errors[rank].code, ErrorCode::CommunicatorTimeout);
        EXPECT_NE(error_message(errors[rank]).find("missing: rank " + std::to_string(size() - 1)),
                  std::string::npos)
            << error_message(errors[rank]);
    }
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuCommunicatorContract,
    ::testing::Values(Placing{"PeerOnCpu3", Backend::Peer, Ranks::OnCpu, 3},
                      Placing{"PeerOnOneGpu1", Backend::Peer, Ranks::OnOneGpu, 1},
                      Placing{"PeerOnOneGpu2", Backend::Peer, Ranks::OnOneGpu, 2},
                      Placing{"PeerOnOneGpu3", Backend::Peer, Ranks::OnOneGpu, 3},
                      Placing{"PeerOnOneGpu8", Backend::Peer, Ranks::OnOneGpu, 8},
                      Placing{"CheckedPeerOnOneGpu3", Backend::CheckedPeer, Ranks::OnOneGpu, 3},
                      Placing{"PeerOnAllGpus", Backend::Peer, Ranks::OnAllGpus, 2},
                      Placing{"PeerWithoutAccessOnAllGpus", Backend::Peer, Ranks::OnAllGpus, 2, "nopeer"},
                      Placing{"StagedPeerOnAllGpus", Backend::StagedPeer, Ranks::OnAllGpus, 2},
                      Placing{"NcclOnOneGpu", Backend::Nccl, Ranks::OnOneGpu, 1},
                      Placing{"NcclOnAllGpus", Backend::Nccl, Ranks::OnAllGpus, 2}),
    [](const auto& info) { return std::string(info.param.name); });

} // namespace
} // namespace reelmesh
