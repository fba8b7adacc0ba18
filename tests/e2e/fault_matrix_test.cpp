// Whatever goes wrong in one rank, all ranks are back within two seconds, the first error keeps its own words
// and place, nothing leaks, and the next job makes the clip of a clean engine.
#include <gtest/gtest.h>

#include <random>

#include "device/cuda_backend.h"
#include "device/hardware.h"
#include "support/engine_fixture.h"
#include "support/faulty_communicator.h"

namespace reelmesh::testing {
namespace {

using namespace std::chrono_literals;

/// Where a rank throws on its own: outside collectives.
struct BlockFault {
    int rank = -1;
    Stage stage = Stage::None;
    int step = -1; ///< of Denoise
};

#ifdef REELMESH_SIMULATED_GPUS
constexpr int kDraws = 40, kEvery = 3; // the whole matrix is run on CPU ranks
#else
constexpr int kDraws = 180, kEvery = 1;
#endif

class FaultMatrixTest : public EngineFixture {
protected:
    FaultMatrixTest() : EngineFixture(tuning()) {}

    EngineTuning tuning() {
        EngineTuning made;
        made.deadline = 100ms;
        made.check = CheckCalls::Always;
        made.hooks.wrap = [this](int rank, ExchangeGroup, std::shared_ptr<Communicator> inner) {
            return std::make_shared<FaultyCommunicator>(std::move(inner), rank, &plan_);
        };
        made.hooks.block = [this](const RankContext& context, int) {
            if (context.rank() != block_.rank || context.stage() != block_.stage) return;
            if (block_.stage == Stage::Denoise && context.step() != block_.step) return;
            fail(ErrorCode::NotFinite, {{"tensor", std::string("planted")}});
        };
        return made;
    }

    JobRequest request() const {
        JobRequest made = tiny_request();
        made.steps = 2;
        made.frames = frames_;
        made.mesh = "cfg2,ulysses2";
#ifdef REELMESH_SIMULATED_GPUS
        made.devices = {"cuda:0", "cuda:0", "cuda:1", "cuda:1"};
#endif
        return made;
    }
    RunOptions options() const {
        RunOptions made = no_output();
        made.threads = 4;
        return made;
    }

    static std::size_t entries(const char* folder) {
        return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
    }

    /// Latents that a clean job leaves.
    std::string clean_bytes() {
        plan_.set(Fault::None, -1, -1);
        block_ = {};
        RunOptions saving = options();
        saving.save_latents = path("latents.safetensors");
        EXPECT_EQ(run(request(), saving).state, JobState::Done);
        return file_bytes(saving.save_latents);
    }

    /// The job's error; it ended within two seconds of hanging about.
    Error fail_once() {
        const auto start = std::chrono::steady_clock::now();
        const JobOutcome outcome = run(request(), options());
        EXPECT_LE(std::chrono::steady_clock::now() - start, 5s); // the job's own work included
        return outcome.state == JobState::Failed ? outcome.last().error : Error{};
    }

    void expect_fault_is_survived(Fault fault, int rank, int call) {
        SCOPED_TRACE(std::string(fault_name(fault)) + " in call " + std::to_string(call) + " of rank " +
                     std::to_string(rank));
        plan_.set(fault, rank, call);
        const Error error = fail_once();
        ASSERT_TRUE(plan_.hit);
        switch (fault) {
        case Fault::Throw:
            EXPECT_EQ(error.code, ErrorCode::OutOfMemory) << error_message(error);
            EXPECT_EQ(error.rank, rank);
            break;
        case Fault::Delay: EXPECT_EQ(error.code, ErrorCode::None) << error_message(error); break;
        default:
            // A rank that leaves out a call goes on with a poisoned result, and may trip over it first.
            EXPECT_TRUE(error.code == ErrorCode::NotFinite || error.code == ErrorCode::CommunicatorTimeout ||
                        error.code == ErrorCode::Internal || error.code == ErrorCode::CommunicatorMismatch)
                << error_message(error);
        }
        EXPECT_EQ(clean_bytes(), expected_);
    }

    FaultPlan plan_;
    BlockFault block_;
    std::string expected_;
    std::int64_t frames_ = 5;
};

TEST_F(FaultMatrixTest, EveryRankMayThrowInEveryPhase) {
    expected_ = clean_bytes();
    const std::size_t threads = entries("/proc/self/task"), descriptors = entries("/proc/self/fd");
    for (int rank = 0; rank < 4; ++rank)
        for (const BlockFault& fault :
             {BlockFault{rank, Stage::Text}, BlockFault{rank, Stage::Denoise, 0},
              BlockFault{rank, Stage::Denoise, 1}, BlockFault{rank, Stage::Decode}}) {
            // Two ranks encode, the first of each guidance branch.
            if (fault.stage == Stage::Text && rank % 2 != 0) continue;
            SCOPED_TRACE(std::string(stage_name(fault.stage)) + " on rank " + std::to_string(rank));
            plan_.set(Fault::None, -1, -1);
            block_ = fault;
            const Error error = fail_once();
            EXPECT_EQ(error.code, ErrorCode::NotFinite) << error_message(error);
            EXPECT_EQ(error.text("tensor"), "planted");
            EXPECT_EQ(error.rank, rank);
            EXPECT_EQ(error.stage, fault.stage);
            EXPECT_EQ(error.step, fault.step);
            EXPECT_EQ(clean_bytes(), expected_);
        }
    EXPECT_EQ(entries("/proc/self/task"), threads);
    EXPECT_EQ(entries("/proc/self/fd"), descriptors);
}

TEST_F(FaultMatrixTest, EveryCollectiveOfTheLoopMayFailOnEveryRank) {
    expected_ = clean_bytes();
    // Two layers there and back, and the guidance exchange, in each of two steps.
    constexpr int kLoopCalls = 2 * (2 * 2 + 1);
    for (int rank = 0; rank < 4; ++rank)
        for (int call = rank % kEvery; call < kLoopCalls; call += kEvery)
            for (const Fault fault : {Fault::Throw, Fault::Skip})
                expect_fault_is_survived(fault, rank, call);
}

// Border rows and the middle's rows, of one latent frame.
TEST_F(FaultMatrixTest, EveryCollectiveOfTheDecoderMayBeLeftOutByEveryRank) {
    frames_ = 1;
    expected_ = clean_bytes();
    for (int rank = 0; rank < 4; ++rank) {
        plan_.set(Fault::None, -1, -1);
        clean_bytes();
        const int calls = plan_.calls[static_cast<std::size_t>(rank)];
        ASSERT_GT(calls, 10);
        for (int call = 10 + rank % kEvery; call < calls; call += kEvery)
            expect_fault_is_survived(Fault::Skip, rank, call);
    }
}

TEST_F(FaultMatrixTest, TwoHundredDrawsLeakNothing) {
    expected_ = clean_bytes();
    std::array<int, 4> calls{};
    for (std::size_t rank = 0; rank < calls.size(); ++rank)
        calls[rank] = plan_.calls[rank];
    ASSERT_GT(calls[3], 50); // the decoder's border rows
    std::mt19937 draw(20);
    const auto one_draw = [&] {
        const Fault fault = std::array{Fault::Delay, Fault::Throw, Fault::Skip, Fault::WrongSize}[draw() % 4];
        const auto rank = draw() % 4;
        expect_fault_is_survived(fault, static_cast<int>(rank),
                                 static_cast<int>(draw() % static_cast<unsigned>(calls[rank])));
    };
    for (int i = 0; i < 20; ++i)
        one_draw();
    const std::size_t threads = entries("/proc/self/task"), descriptors = entries("/proc/self/fd");
#ifdef REELMESH_SIMULATED_GPUS
    const std::vector<CudaDevice> held = cuda_part().backend->devices();
#else
    const std::uint64_t resident = resident_bytes();
#endif
    for (int i = 0; i < kDraws; ++i)
        one_draw();
    EXPECT_EQ(entries("/proc/self/task"), threads);
    EXPECT_EQ(entries("/proc/self/fd"), descriptors);
#ifdef REELMESH_SIMULATED_GPUS
    for (const CudaDevice& device : cuda_part().backend->devices())
        EXPECT_EQ(device.own_bytes, held[static_cast<std::size_t>(device.index)].own_bytes);
#else
    EXPECT_LE(resident_bytes(), resident + kDraws * 50 * 1024);
#endif
}

// Rank 2 leaves out its eighteenth operation: the report names it, what it was, and what everyone did last.
TEST_F(FaultMatrixTest, TheWatchdogNamesWhoIsMissingAndWhatEveryoneDidLast) {
    clean_bytes();
    plan_.set(Fault::Skip, 2, 17);
    const std::string message = error_message(fail_once());
    for (const char* part : {"rank 2", "operation", "halo"})
        EXPECT_NE(message.find(part), std::string::npos) << message;
}

} // namespace
} // namespace reelmesh::testing
