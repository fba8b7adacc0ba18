// Times of what ranks do are those of their devices, not of the calls that started it.
#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <gtest/gtest.h>

#include <latch>
#include <optional>
#include <thread>

#include "comm/peer/peer_communicator.h"
#include "comm/recorded_communicator.h"
#include "comm/stream_clock.h"
#include "device/cuda_backend.h"
#ifdef REELMESH_SIMULATED_GPUS
#include "support/with_fault.h"
#endif

namespace reelmesh {
namespace {

TEST(StreamClockTest, OnACpuAMarkIsReachedAtOnce) {
    StreamClock clock;
    clock.start();
    const std::int64_t before = steady_now_ns();
    const ClockMark mark = clock.mark();
    ASSERT_TRUE(mark.time_ns());
    EXPECT_GE(*mark.time_ns(), before);
    bool called = false;
    clock.when_reached(mark, [&] { called = true; });
    EXPECT_TRUE(called);
}

/// A rank's thread: its device and a stream of its own there.
class OnGpu {
public:
    explicit OnGpu(c10::Device device) : device_(device), stream_(pool_stream(device)) {}

private:
    static c10::Stream pool_stream(c10::Device device) {
        return c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device);
    }
    c10::DeviceGuard device_;
    c10::StreamGuard stream_;
};

/// Copies wait until it is over: on simulated GPUs, where the host is sure to be ahead. Elsewhere they take
/// their time.
class HeldCopies {
public:
    void release() {
#ifdef REELMESH_SIMULATED_GPUS
        held_.reset();
#endif
    }
    bool are_held() const {
#ifdef REELMESH_SIMULATED_GPUS
        return true;
#else
        return false;
#endif
    }

private:
#ifdef REELMESH_SIMULATED_GPUS
    std::optional<testing::WithFault> held_{std::in_place, "held"};
#endif
};

class GpuStreamClockTest : public ::testing::Test {
protected:
    void SetUp() override {
        if (!cuda_part().backend) GTEST_SKIP() << cuda_part().reason;
    }

    /// Long work that the host does not wait for.
    static void copy_much(const at::Tensor& from, const at::Tensor& to) {
        to.copy_(from, /*non_blocking=*/true);
    }
    static at::Tensor much(c10::Device device) {
        return at::zeros({std::int64_t{64} << 20}, at::TensorOptions(at::kByte).device(device));
    }

    const c10::Device device_{at::kCUDA, 0};
};

TEST_F(GpuStreamClockTest, AMarkIsReachedWhenTheStreamGetsThere) {
    const OnGpu here(device_);
    const at::Tensor from = much(device_), to = at::empty_like(from);
    StreamClock clock(device_);
    clock.start();
    const ClockMark first = clock.mark();
    HeldCopies copies;
    copy_much(from, to);
    const ClockMark last = clock.mark();
    int called = 0;
    clock.when_reached(last, [&] { EXPECT_EQ(called++, 0); });
    clock.when_reached(first, [&] { EXPECT_EQ(called++, 1); }); // not before what was there first
    clock.settle();
    if (copies.are_held()) {
        EXPECT_FALSE(last.time_ns());
        EXPECT_EQ(called, 0);
    }
    const std::int64_t host_ns = steady_now_ns();
    copies.release();
    last.wait();
    clock.settle();
    EXPECT_EQ(called, 2);
    EXPECT_LT(*first.time_ns(), *last.time_ns());
    constexpr std::int64_t kTied =
        1'000'000; // the clocks are tied by events that take their time to be recorded
    if (copies.are_held()) {
        EXPECT_GE(*last.time_ns(), host_ns - kTied);
    }
    EXPECT_LE(*last.time_ns(), steady_now_ns() + kTied);
}

TEST_F(GpuStreamClockTest, WhatWaitsMayBeGivenUp) {
    const OnGpu here(device_);
    const at::Tensor from = much(device_), to = at::empty_like(from);
    StreamClock clock(device_);
    clock.start();
    HeldCopies copies;
    copy_much(from, to);
    const ClockMark mark = clock.mark();
    int called = 0;
    clock.when_reached(mark, [&] { ++called; });
    clock.give_up();
    copies.release();
    mark.wait();
    clock.settle();
    if (copies.are_held()) {
        EXPECT_EQ(called, 0);
    }
}

// Rank 1's stream is busy: both issue the call at once, and rank 0 waits in its stream, not on the host.
TEST_F(GpuStreamClockTest, TheWaitForASlowPeersStreamIsInTheRecord) {
    auto group = make_peer_group(2);
    const auto ready_times = std::make_shared<ReadyTimes>(2);
    std::array<ExchangeLedger, 2> ledgers;
    std::latch both(2), issued(2);
    HeldCopies copies;
    std::vector<std::thread> ranks;
    for (int rank = 0; rank < 2; ++rank)
        ranks.emplace_back([&, rank] {
            const OnGpu here(device_);
            const auto index = static_cast<std::size_t>(rank);
            StreamClock clock(device_);
            TelemetryWriter writer(static_cast<std::int16_t>(rank));
            CallScope scope;
            SentBytes sent;
            RecordTarget target{.group = ExchangeGroup::Ulysses,
                                .rank = rank,
                                .scope = &scope,
                                .writer = &writer,
                                .ledger = &ledgers[index],
                                .sent = &sent,
                                .clock = &clock,
                                .ready_times = ready_times,
                                .link = LinkKind::SameDevice};
            const auto comm = make_recorded(group[index], target);
            const at::Tensor from = much(device_), to = at::empty_like(from);
            at::Tensor mine = at::ones({1, 64}, at::TensorOptions(at::kFloat).device(device_));
            at::Tensor all = at::empty({2, 64}, mine.options());
            clock.start();
            both.arrive_and_wait();
            if (rank == 1) copy_much(from, to);
            const std::int64_t ones[] = {1, 1};
            comm->all_gather(all, mine, ones, 0, {});
            issued.arrive_and_wait(); // on the host both calls are over
            if (rank == 0) copies.release();
            clock.mark().wait();
            clock.settle();
            EXPECT_TRUE(all.eq(1).all().item<bool>());
            EXPECT_EQ(comm->waited_ns(), ledgers[index].records().at(0).wait_ns);
        });
    for (std::thread& rank : ranks)
        rank.join();
    const ExchangeRecord quick = ledgers[0].records().at(0), slow = ledgers[1].records().at(0);
    EXPECT_LE(quick.start_ns, slow.ready_ns);
    EXPECT_EQ(quick.wait_ns, std::min(quick.end_ns, slow.ready_ns) - quick.start_ns);
    EXPECT_GE(quick.wait_ns, slow.wait_ns);
    if (copies.are_held()) {
        EXPECT_GT(quick.wait_ns, 0);
    }
    EXPECT_GE(quick.end_ns, slow.ready_ns);
    EXPECT_LT(slow.issued_ns, slow.ready_ns);
    EXPECT_EQ(quick.link, LinkKind::SameDevice);
}

} // namespace
} // namespace reelmesh
