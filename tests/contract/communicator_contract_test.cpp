// One suite for every communicator: what ranks may rely on.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "base/check.h"
#include "comm/checked_communicator.h"
#include "comm/peer/peer_communicator.h"
#include "comm/recorded_communicator.h"

namespace reelmesh {
namespace {

using Group = std::vector<std::shared_ptr<Communicator>>;

/// What decorators write to; outlives the groups.
struct Recorder {
    TelemetryWriter writer{0};
    SentBytes sent;
};

struct Implementation {
    const char* name;
    std::function<Group(int size, std::vector<Recorder>& recorders)> make;
};

PeerOptions short_deadline() {
    return {std::chrono::milliseconds(200)};
}

Group recorded(Group group, std::vector<Recorder>& recorders) {
    for (std::size_t i = 0; i < group.size(); ++i)
        group[i] = make_recorded(group[i], EventWork::Cfg, &recorders[i].writer, &recorders[i].sent);
    return group;
}

const Implementation kImplementations[] = {
    {"peer", [](int size, std::vector<Recorder>&) { return make_peer_group(size, short_deadline()); }},
    {"checked",
     [](int size, std::vector<Recorder>&) {
         return make_checked_group(make_peer_group(size, short_deadline()));
     }},
    {"recorded",
     [](int size, std::vector<Recorder>& recorders) {
         return recorded(make_peer_group(size, short_deadline()), recorders);
     }},
    {"checked and recorded",
     [](int size, std::vector<Recorder>& recorders) {
         return recorded(make_checked_group(make_peer_group(size, short_deadline())), recorders);
     }},
};

class CommunicatorContract : public ::testing::TestWithParam<std::tuple<Implementation, int>> {
protected:
    int size() const { return std::get<1>(GetParam()); }
    Group make() { return std::get<0>(GetParam()).make(size(), recorders_); }

    /// Every rank calls the function on its own thread; the errors, in rank order.
    std::vector<Error> on_ranks(Group& group, const std::function<void(Communicator&)>& function) {
        std::vector<Error> errors(group.size());
        std::vector<std::thread> threads;
        for (std::size_t rank = 0; rank < group.size(); ++rank)
            threads.emplace_back([&, rank] {
                const auto result = catch_errors([&] {
                    function(*group[rank]);
                    return 0;
                });
                if (!result) errors[rank] = result.error();
            });
        for (std::thread& thread : threads)
            thread.join();
        return errors;
    }

    std::vector<Recorder> recorders_ = std::vector<Recorder>(8);
};

void expect_no_errors(const std::vector<Error>& errors) {
    for (const Error& error : errors)
        EXPECT_EQ(error.code, ErrorCode::None) << error_message(error);
}

TEST_P(CommunicatorContract, AllGatherKeepsRankOrderForUnevenAndEmptyParts) {
    Group group = make();
    std::vector<std::int64_t> sizes;
    for (int rank = 0; rank < size(); ++rank)
        sizes.push_back(rank % 3);
    std::int64_t total = 0;
    for (const std::int64_t part : sizes)
        total += part;
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        const int rank = communicator.rank();
        const at::Tensor in = at::full({2, sizes[static_cast<std::size_t>(rank)]}, rank, at::kFloat);
        at::Tensor out = at::full({2, total}, -1, at::kFloat);
        communicator.all_gather(out, in, sizes, 1, {"test"});
        std::int64_t column = 0;
        for (int peer = 0; peer < communicator.size(); ++peer)
            for (std::int64_t i = 0; i < sizes[static_cast<std::size_t>(peer)]; ++i, ++column)
                EXPECT_TRUE(out.select(1, column).eq(peer).all().item<bool>());
    }));
}

TEST_P(CommunicatorContract, StridedViewsAndEveryDtypeArriveBitEqual) {
    Group group = make();
    const std::vector<std::int64_t> sizes(static_cast<std::size_t>(size()), 5);
    for (const at::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble, at::kLong})
        expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
            const at::Tensor base =
                (at::arange(35, at::kFloat).view({7, 5}) + 100 * communicator.rank()).to(dtype);
            at::Tensor out = at::empty({5 * communicator.size(), 7}, base.options());
            communicator.all_gather(out, base.t(), sizes, 0, {"test"});
            for (int peer = 0; peer < communicator.size(); ++peer) {
                const at::Tensor expected =
                    (at::arange(35, at::kFloat).view({7, 5}) + 100 * peer).to(dtype).t();
                EXPECT_TRUE(out.narrow(0, 5 * peer, 5).equal(expected));
            }
        }));
}

TEST_P(CommunicatorContract, InputMayBeReusedAfterTheCallUnderAnyDelays) {
    Group group = make();
    const std::vector<std::int64_t> ones(static_cast<std::size_t>(size()), 1);
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        at::Tensor in = at::empty({1, 64}, at::kFloat);
        at::Tensor out = at::empty({communicator.size(), 64}, at::kFloat);
        for (int round = 0; round < 100; ++round) {
            in.fill_(round * 10 + communicator.rank());
            if ((round + communicator.rank()) % 7 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            communicator.all_gather(out, in, ones, 0, {"test"});
            in.fill_(-1);
            for (int peer = 0; peer < communicator.size(); ++peer)
                ASSERT_TRUE(out[peer].eq(round * 10 + peer).all().item<bool>());
        }
    }));
}

TEST_P(CommunicatorContract, NobodyPassesABarrierBeforeAllAreThere) {
    Group group = make();
    std::atomic<int> arrived{0};
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        for (int round = 1; round <= 20; ++round) {
            ++arrived;
            communicator.barrier({"test"});
            EXPECT_GE(arrived.load(), round * communicator.size());
            communicator.barrier({"test"});
        }
    }));
}

TEST_P(CommunicatorContract, AbortFreesWaitingRanksAndTheFirstErrorStays) {
    if (size() == 1) return; // nobody waits
    Group group = make();
    const Error first = make_error(ErrorCode::Internal, {{"reason", std::string("first")}});
    const std::vector<Error> errors = on_ranks(group, [&](Communicator& communicator) {
        if (communicator.rank() == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            communicator.abort(first);
            communicator.abort(make_error(ErrorCode::OutOfMemory));
            return;
        }
        communicator.barrier({"test"});
    });
    for (std::size_t rank = 1; rank < errors.size(); ++rank)
        EXPECT_EQ(errors[rank].code, ErrorCode::CommunicatorAborted);
    for (const auto& member : group) {
        ASSERT_TRUE(member->state());
        EXPECT_EQ(member->state()->text("reason"), "first");
    }
    // Later calls fail too.
    EXPECT_EQ(on_ranks(group, [](Communicator& member) { member.barrier({"test"}); }).front().code,
              ErrorCode::CommunicatorAborted);
}

INSTANTIATE_TEST_SUITE_P(All, CommunicatorContract,
                         ::testing::Combine(::testing::ValuesIn(kImplementations),
                                            ::testing::Values(1, 2, 3, 8)),
                         [](const auto& info) {
                             std::string name = std::get<0>(info.param).name;
                             std::erase(name, ' ');
                             return name + std::to_string(std::get<1>(info.param)) + "Ranks";
                         });

TEST(CheckedCommunicatorTest, DifferentCallsFailOnEveryRankAndNameBoth) {
    Group group = make_checked_group(make_peer_group(2, short_deadline()));
    std::vector<Error> errors(2);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < 2; ++rank)
        threads.emplace_back([&, rank] {
            const auto result = catch_errors([&] {
                const std::vector<std::int64_t> ones{1, 1};
                at::Tensor out = at::empty({2, 4}, at::kFloat);
                if (rank == 0)
                    group[rank]->all_gather(out, at::empty({1, 4}, at::kFloat), ones, 0, {"velocity"});
                else
                    group[rank]->barrier({"velocity"});
                return 0;
            });
            if (!result) errors[rank] = result.error();
        });
    for (std::thread& thread : threads)
        thread.join();
    for (const Error& error : errors) {
        EXPECT_EQ(error.code, ErrorCode::CommunicatorMismatch);
        const std::string message = error_message(error);
        EXPECT_NE(message.find("rank 0: all_gather velocity Float along 0 sizes 1 1"), std::string::npos)
            << message;
        EXPECT_NE(message.find("rank 1: barrier velocity"), std::string::npos) << message;
    }
}

TEST(RecordedCommunicatorTest, CountsTheBytesThatTheFormulaSays) {
    std::vector<Recorder> recorders(3);
    Group group = recorded(make_peer_group(3, short_deadline()), recorders);
    std::vector<std::thread> threads;
    for (std::size_t rank = 0; rank < 3; ++rank)
        threads.emplace_back([&, rank] {
            const std::vector<std::int64_t> ones{1, 1, 1};
            at::Tensor out = at::empty({3, 100}, at::kFloat);
            group[rank]->all_gather(out, at::ones({1, 100}, at::kFloat), ones, 0, {"velocity", 5});
        });
    for (std::thread& thread : threads)
        thread.join();
    for (Recorder& recorder : recorders) {
        EXPECT_EQ(recorder.sent.bytes, 800U); // own part of 400 bytes to two peers
        std::vector<TelemetryEvent> events;
        recorder.writer.drain(events);
        ASSERT_EQ(events.size(), 1U);
        EXPECT_EQ(events[0].kind, EventKind::Exchange);
        EXPECT_EQ(events[0].bytes, 800U);
        EXPECT_EQ(events[0].block, 5);
        EXPECT_LE(events[0].wait_ns, events[0].end_ns - events[0].start_ns);
    }
}

} // namespace
} // namespace reelmesh
