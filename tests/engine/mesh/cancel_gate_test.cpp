#include "mesh/cancel_gate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace reelmesh {
namespace {

TEST(CancelGateTest, LimitIsTheHighestClaimedPoint) {
    CancelGate gate;
    EXPECT_TRUE(gate.claim({4, 1, 3}));
    EXPECT_TRUE(gate.claim({4, 1, 5}));
    gate.cancel();
    EXPECT_TRUE(gate.claim({4, 1, 4}));
    EXPECT_TRUE(gate.claim({4, 1, 5}));
    EXPECT_FALSE(gate.claim({4, 1, 6}));
    EXPECT_FALSE(gate.claim({4, 2, 0}));
    EXPECT_FALSE(gate.claim({5, 0, 0}));
    gate.cancel();
    EXPECT_TRUE(gate.claim({4, 1, 5}));
}

TEST(CancelGateTest, CanceledBeforeAnythingStopsEverything) {
    CancelGate gate;
    gate.cancel();
    EXPECT_FALSE(gate.claim({2, 0, 1}));
    gate.reset();
    EXPECT_FALSE(gate.canceled());
    EXPECT_TRUE(gate.claim({2, 0, 1}));
}

TEST(CancelGateTest, RanksOfAnySpeedStopAtOnePoint) {
    for (int round = 0; round < 50; ++round) {
        CancelGate gate;
        constexpr int kRanks = 4;
        std::vector<std::uint32_t> last(kRanks, 0);
        std::vector<std::thread> ranks;
        std::atomic<bool> started{false};
        for (int rank = 0; rank < kRanks; ++rank)
            ranks.emplace_back([&, rank] {
                for (std::uint32_t block = 1; gate.claim({4, 1, block}); ++block) {
                    last[static_cast<std::size_t>(rank)] = block;
                    started = true;
                    // Work between claims; without any, the canceling thread hardly gets the lock.
                    std::this_thread::sleep_for(std::chrono::microseconds(1 + 7 * rank));
                }
            });
        while (!started)
            std::this_thread::yield();
        gate.cancel();
        for (std::thread& rank : ranks)
            rank.join();
        for (const std::uint32_t block : last)
            EXPECT_EQ(block, last.front());
    }
}

} // namespace
} // namespace reelmesh
