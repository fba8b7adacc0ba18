#include "ops/fixed_tiles.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

extern "C" void omp_set_num_threads(int);
extern "C" int omp_get_max_threads();

namespace reelmesh {
namespace {

class FixedTilesTest : public ::testing::Test {
protected:
    void SetUp() override { omp_set_num_threads(2); }
};

TEST_F(FixedTilesTest, EveryTileRunsOnceWithATeamOfOne) {
    std::array<std::atomic<int>, 37> calls{};
    ops::for_each_tile(37, [&](std::int64_t tile) {
        ++calls[static_cast<std::size_t>(tile)];
        EXPECT_EQ(omp_get_max_threads(), 1);
    });
    for (const auto& count : calls)
        EXPECT_EQ(count, 1);
    EXPECT_EQ(omp_get_max_threads(), 2);
}

TEST_F(FixedTilesTest, ASingleTileHasATeamOfOneToo) {
    ops::for_each_tile(1, [](std::int64_t) { EXPECT_EQ(omp_get_max_threads(), 1); });
    EXPECT_EQ(omp_get_max_threads(), 2);
}

TEST_F(FixedTilesTest, BothThreadsOfTheTeamTakeTiles) {
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<int> waiting{0};
    ops::for_each_tile(2, [&](std::int64_t) {
        ++waiting;
        while (waiting < 2)
            std::this_thread::yield();
        const std::scoped_lock lock(mutex);
        threads.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(threads.size(), 2U);
}

TEST_F(FixedTilesTest, AnExceptionReachesTheCaller) {
    EXPECT_THROW(ops::for_each_tile(5,
                                    [](std::int64_t tile) {
                                        if (tile == 3) throw std::runtime_error("tile");
                                    }),
                 std::runtime_error);
    EXPECT_EQ(omp_get_max_threads(), 2);
}

TEST_F(FixedTilesTest, RowBlocksCoverTheRowsInFixedPlaces) {
    std::mutex mutex;
    std::set<std::pair<std::int64_t, std::int64_t>> blocks;
    ops::for_each_row_block(c10::Device(c10::kCPU), 2 * ops::kRowBlock + 3,
                            [&](std::int64_t first, std::int64_t count) {
                                const std::scoped_lock lock(mutex);
                                blocks.emplace(first, count);
                            });
    const std::set<std::pair<std::int64_t, std::int64_t>> expected{
        {0, ops::kRowBlock}, {ops::kRowBlock, ops::kRowBlock}, {2 * ops::kRowBlock, 3}};
    EXPECT_EQ(blocks, expected);
}

} // namespace
} // namespace reelmesh
