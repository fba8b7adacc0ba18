#include "mesh/mesh_runner.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/check.h"

extern "C" int omp_get_max_threads();

namespace reelmesh {
namespace {

using std::chrono::milliseconds;

MeshOptions options_of(const std::string& mesh, int threads) {
    MeshOptions options;
    options.shape = parse_mesh(mesh);
    options.threads = threads;
    options.deadline = milliseconds(100);
    return options;
}

std::size_t num_threads() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
        ++count;
    return count;
}

Error error_of(const std::function<void()>& function) {
    const auto result = catch_errors([&] {
        function();
        return 0;
    });
    return result ? Error{} : result.error();
}

TEST(MeshRunnerTest, EveryRankRunsOnItsOwnThreadWithItsShareOfThreads) {
    MeshRunner mesh(options_of("cfg2", 3));
    std::vector<int> threads(2);
    std::vector<std::thread::id> ids(2);
    mesh.run([&](RankContext& context) {
        threads[static_cast<std::size_t>(context.rank())] = omp_get_max_threads();
        ids[static_cast<std::size_t>(context.rank())] = std::this_thread::get_id();
    });
    EXPECT_EQ(threads, (std::vector<int>{2, 1}));
    EXPECT_NE(ids[0], ids[1]);
}

TEST(MeshRunnerTest, ThrowingRankFreesTheOthersAndItsOwnErrorComesFirst) {
    for (const int thrower : {0, 1}) {
        MeshRunner mesh(options_of("cfg2", 2));
        const Error error = error_of([&] {
            mesh.run([&](RankContext& context) {
                context.enter(Stage::Denoise, 4, 0);
                if (context.rank() == thrower)
                    fail(ErrorCode::NotFinite, {{"tensor", std::string("block 1")}});
                context.communicator(Axis::Cfg).barrier({});
            });
        });
        EXPECT_EQ(error.code, ErrorCode::NotFinite);
        EXPECT_EQ(error.rank, thrower);
        EXPECT_EQ(error.stage, Stage::Denoise);
        EXPECT_EQ(error.step, 4);
        EXPECT_FALSE(mesh.usable());
    }
}

TEST(MeshRunnerTest, MissingRankIsNamedAtTheDeadline) {
    MeshRunner mesh(options_of("cfg2", 2));
    const Error error = error_of([&] {
        mesh.run([&](RankContext& context) {
            if (context.rank() == 0) context.communicator(Axis::Cfg).barrier({ExchangePurpose::Cfg});
        });
    });
    EXPECT_EQ(error.code, ErrorCode::CommunicatorTimeout);
    EXPECT_EQ(error.text("missing"), "rank 1");
    EXPECT_NE(error.text("operation").find("barrier cfg"), std::string::npos) << error.text("operation");
}

TEST(MeshRunnerTest, CancelStopsAllRanksAtOneBlockAndLeavesTheMeshUsable) {
    MeshRunner mesh(options_of("cfg2", 2));
    std::vector<int> blocks(2, 0);
    std::thread canceler([&] {
        std::this_thread::sleep_for(milliseconds(20));
        mesh.gate().cancel();
    });
    const Error error = error_of([&] {
        mesh.run([&](RankContext& context) {
            for (int step = 0;; ++step) {
                context.enter(Stage::Denoise, step, 0);
                for (int block = 0; block < 3; ++block) {
                    const RankContext::Block scope(context, block, EventWork::Attention);
                    std::this_thread::sleep_for(milliseconds(context.rank() ? 1 : 2));
                    ++blocks[static_cast<std::size_t>(context.rank())];
                }
                context.communicator(Axis::Cfg).barrier({});
            }
        });
    });
    canceler.join();
    EXPECT_EQ(error.code, ErrorCode::Canceled);
    EXPECT_EQ(blocks[0], blocks[1]);
    EXPECT_TRUE(mesh.usable());
    mesh.gate().reset();
    int ran = 0;
    mesh.run([&](RankContext& context) {
        context.communicator(Axis::Cfg).barrier({});
        if (context.rank() == 0) ++ran;
    });
    EXPECT_EQ(ran, 1);
}

TEST(MeshRunnerTest, ThreadsEndWithTheMesh) {
    { MeshRunner warm(options_of("cfg2", 2)); }
    const std::size_t before = num_threads();
    for (int i = 0; i < 20; ++i)
        MeshRunner mesh(options_of("cfg2", 2));
    EXPECT_EQ(num_threads(), before);
}

} // namespace
} // namespace reelmesh
