// One suite for every communicator: what ranks may rely on. Each operation is held against a serial model.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <limits>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "base/check.h"
#include "comm/checked_communicator.h"
#include "comm/parts.h"
#include "comm/peer/peer_communicator.h"
#include "comm/recorded_communicator.h"
#include "support/on_ranks.h"

namespace reelmesh {
namespace {

using testing::expect_no_errors;
using testing::Group;
using testing::on_ranks;
using Sizes = std::vector<std::int64_t>;

/// What decorators write to; outlives the groups.
struct Recorder {
    TelemetryWriter writer{0};
    SentBytes sent;
    CallScope scope;
    ExchangeLedger ledger;
};

struct Implementation {
    const char* name;
    std::function<Group(int size, std::vector<Recorder>& recorders)> make;
};

PeerOptions short_deadline() {
    return {std::chrono::milliseconds(500), {}, {}};
}

Group recorded(Group group, std::vector<Recorder>& recorders) {
    for (std::size_t i = 0; i < group.size(); ++i) {
        Recorder& recorder = recorders[i];
        group[i] = make_recorded(group[i], {ExchangeGroup::Cfg, static_cast<int>(i), 0, &recorder.scope,
                                            &recorder.writer, &recorder.ledger, &recorder.sent});
    }
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

/// Different for every rank and element; whole numbers that every type holds exactly.
at::Tensor values(int rank, const Sizes& shape, at::ScalarType type = at::kFloat) {
    const at::Tensor numbers = at::arange(c10::multiply_integers(shape), at::kLong) * 7 + rank * 31;
    return numbers.remainder(97).view(shape).to(type);
}

/// Part of rank r: r mod 3 and some, zero for every fourth.
Sizes uneven(int size, std::int64_t base) {
    Sizes sizes;
    for (int rank = 0; rank < size; ++rank)
        sizes.push_back(rank % 4 == 3 ? 0 : base + rank % 3);
    return sizes;
}

at::Tensor part(const at::Tensor& whole, const Sizes& sizes, int index, std::int64_t dim) {
    const Parts parts{Sizes(sizes)};
    return whole.narrow(dim, parts.start(index), parts.size(index));
}

class CommunicatorContract : public ::testing::TestWithParam<std::tuple<Implementation, int>> {
protected:
    int size() const { return std::get<1>(GetParam()); }
    Group make() { return std::get<0>(GetParam()).make(size(), recorders_); }

    std::vector<Recorder> recorders_ = std::vector<Recorder>(8);
};

TEST_P(CommunicatorContract, AllToAllTurnsASplitOfTokensIntoASplitOfHeadsAndBack) {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf, at::kByte})
        for (const std::int64_t base : {0, 1, 3}) {
            // Token counts and head counts that nothing divides.
            const Sizes tokens = uneven(size(), base), heads = uneven(size(), 2);
            const Parts token_parts{Sizes(tokens)}, head_parts{Sizes(heads)};
            const at::Tensor whole = values(0, {3, token_parts.total(), head_parts.total(), 4}, type);
            Group group = make();
            expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
                const int rank = communicator.rank();
                const at::Tensor mine = part(whole, tokens, rank, 1).clone();
                at::Tensor by_head =
                    at::empty({3, token_parts.total(), head_parts.size(rank), 4}, whole.options());
                communicator.all_to_all(by_head, mine, tokens, heads, 1, 2, {ExchangePurpose::Qkv, 1});
                EXPECT_TRUE(by_head.equal(part(whole, heads, rank, 2)));
                at::Tensor back = at::empty_like(mine);
                communicator.all_to_all(back, by_head, heads, tokens, 2, 1, {ExchangePurpose::Output, 1});
                EXPECT_TRUE(back.equal(mine));
            }));
        }
}

TEST_P(CommunicatorContract, AllToAllReadsAndWritesStridedViews) {
    const Sizes sizes = uneven(size(), 2);
    const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    const at::Tensor whole = values(1, {total, total, 3});
    Group group = make();
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        const int rank = communicator.rank();
        const at::Tensor wide = at::zeros({3, total, 2 * sizes[static_cast<std::size_t>(rank)]});
        const at::Tensor mine = wide.narrow(2, 0, sizes[static_cast<std::size_t>(rank)]).permute({2, 1, 0});
        mine.copy_(part(whole, sizes, rank, 0));
        at::Tensor room = at::full({total, 3, sizes[static_cast<std::size_t>(rank)]}, -1.0F);
        at::Tensor out = room.permute({0, 2, 1});
        communicator.all_to_all(out, mine, sizes, sizes, 0, 1, {});
        EXPECT_TRUE(out.equal(part(whole, sizes, rank, 1)));
    }));
}

TEST_P(CommunicatorContract, AllGatherGivesEveryPartInRankOrder) {
    for (const std::int64_t dim : {0, 1}) {
        const Sizes sizes = uneven(size(), 2);
        const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
        const at::Tensor whole = values(2, {total, total}, at::kBFloat16);
        Group group = make();
        expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
            at::Tensor out = at::empty({total, total}, whole.options());
            communicator.all_gather(out, part(whole, sizes, communicator.rank(), dim), sizes, dim, {});
            EXPECT_TRUE(out.equal(whole));
        }));
    }
}

TEST_P(CommunicatorContract, SendRecvGoesAroundARingWhileTheRankWorks) {
    if (size() == 1) return;
    Group group = make();
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        const int rank = communicator.rank(), next = (rank + 1) % size(),
                  previous = (rank + size() - 1) % size();
        at::Tensor block = values(rank, {5 + rank, 3});
        for (int hop = 0; hop + 1 < size(); ++hop) {
            const int owner = (rank - hop - 1 + 2 * size()) % size();
            const at::Tensor coming = at::empty({5 + owner, 3});
            std::vector<PeerTransfer> transfers{{next, block, {}}, {previous, {}, coming}};
            if (next == previous) transfers = {{next, block, coming}};
            communicator.start_send_recv(transfers, {ExchangePurpose::RingKv, 0, hop});
            const at::Tensor worked = block * 2;
            communicator.finish_send_recv();
            EXPECT_TRUE(coming.equal(values(owner, {5 + owner, 3})));
            block = coming;
        }
    }));
}

TEST_P(CommunicatorContract, SendRecvOfNeighboursLeavesTheEndsAlone) {
    Group group = make();
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        const int rank = communicator.rank();
        for (int round = 0; round < 20; ++round) {
            const at::Tensor rows = values(rank + round, {2, 9});
            const at::Tensor above = at::zeros({9}), below = at::zeros({9});
            std::vector<PeerTransfer> transfers;
            if (rank > 0) transfers.push_back({rank - 1, rows[0], above});
            if (rank + 1 < size()) transfers.push_back({rank + 1, rows[1], below});
            communicator.send_recv(transfers, {ExchangePurpose::Halo});
            if (rank > 0) EXPECT_TRUE(above.equal(values(rank - 1 + round, {2, 9})[1]));
            if (rank + 1 < size()) EXPECT_TRUE(below.equal(values(rank + 1 + round, {2, 9})[0]));
        }
    }));
}

TEST_P(CommunicatorContract, AllReduceAddsInRankOrderInFloat32AndRoundsOnce) {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf, at::kDouble})
        for (const Sizes& shape : {Sizes{1}, Sizes{5, 3}, Sizes{64, 17}}) {
            std::vector<at::Tensor> inputs;
            for (int rank = 0; rank < size(); ++rank)
                inputs.push_back(at::sin(values(rank, shape, at::kDouble) * 0.31).to(type));
            const at::ScalarType sum_type = type == at::kDouble ? at::kDouble : at::kFloat;
            at::Tensor sum = inputs[0].to(sum_type), most = inputs[0].to(sum_type);
            for (int rank = 1; rank < size(); ++rank) {
                sum = sum + inputs[static_cast<std::size_t>(rank)].to(sum_type);
                most = at::maximum(most, inputs[static_cast<std::size_t>(rank)].to(sum_type));
            }
            Group group = make();
            expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
                at::Tensor mine = inputs[static_cast<std::size_t>(communicator.rank())].clone();
                communicator.all_reduce(mine, ReduceOp::Sum, {ExchangePurpose::TensorSum});
                EXPECT_TRUE(mine.equal(sum.to(type)));
                mine = inputs[static_cast<std::size_t>(communicator.rank())].clone();
                communicator.all_reduce(mine, ReduceOp::Max, {});
                EXPECT_TRUE(mine.equal(most.to(type)));
            }));
        }
}

TEST_P(CommunicatorContract, BroadcastGivesTheRootsValues) {
    Group group = make();
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        for (int root = 0; root < size(); ++root) {
            at::Tensor tensor = values(communicator.rank() + 1, {7, 2});
            communicator.broadcast(tensor, root, {ExchangePurpose::Text});
            EXPECT_TRUE(tensor.equal(values(root + 1, {7, 2})));
        }
    }));
}

TEST_P(CommunicatorContract, InputsMayChangeAndGoAsSoonAsTheCallReturns) {
    Group group = make();
    const Sizes ones(static_cast<std::size_t>(size()), 1);
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        at::Tensor out = at::empty({size(), 1000}), in = at::empty({1, 1000});
        for (int round = 0; round < 100; ++round) {
            in.fill_(round * 10 + communicator.rank());
            if ((round + communicator.rank()) % 7 == 0)
                std::this_thread::sleep_for(std::chrono::microseconds(200));
            communicator.all_gather(out, in, ones, 0, {});
            in.fill_(-1);
            for (int peer = 0; peer < communicator.size(); ++peer)
                ASSERT_TRUE(out[peer].eq(round * 10 + peer).all().item<bool>());
            if (round % 5 == 0) in = at::empty({1, 1000});
        }
    }));
}

// The same seed on every rank draws the same calls; two groups of the same ranks take turns.
TEST_P(CommunicatorContract, SeededRandomCallsOnTwoInterleavedGroups) {
    Group first = make(), second = make_peer_group(size(), short_deadline());
    expect_no_errors(on_ranks(first, [&](Communicator& own) {
        const int rank = own.rank();
        std::mt19937 draw(42), delay(static_cast<unsigned>(rank));
        for (int round = 0; round < 120; ++round) {
            Communicator& communicator = draw() % 2 == 0 ? own : *second[static_cast<std::size_t>(rank)];
            Sizes sizes;
            for (int i = 0; i < size(); ++i)
                sizes.push_back(static_cast<std::int64_t>(draw() % 4));
            const auto total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
            const int kind = static_cast<int>(draw() % 4),
                      root = static_cast<int>(draw() % static_cast<unsigned>(size()));
            if (delay() % 9 == 0) std::this_thread::sleep_for(std::chrono::microseconds(delay() % 300));
            if (kind == 0) {
                const at::Tensor whole = values(round, {total, total});
                at::Tensor out = at::empty({total, sizes[static_cast<std::size_t>(rank)]});
                communicator.all_to_all(out, part(whole, sizes, rank, 0), sizes, sizes, 0, 1, {});
                ASSERT_TRUE(out.equal(part(whole, sizes, rank, 1)));
            } else if (kind == 1) {
                const at::Tensor whole = values(round, {total, 3});
                at::Tensor out = at::empty({total, 3});
                communicator.all_gather(out, part(whole, sizes, rank, 0), sizes, 0, {});
                ASSERT_TRUE(out.equal(whole));
            } else if (kind == 2) {
                at::Tensor sum = at::full({total + 1}, static_cast<float>(rank + 1));
                communicator.all_reduce(sum, ReduceOp::Sum, {});
                ASSERT_TRUE(sum.eq(size() * (size() + 1) / 2).all().item<bool>());
            } else {
                at::Tensor tensor = values(rank, {total});
                communicator.broadcast(tensor, root, {});
                ASSERT_TRUE(tensor.equal(values(root, {total})));
            }
        }
    }));
}

TEST_P(CommunicatorContract, NobodyPassesABarrierBeforeAllAreThere) {
    Group group = make();
    std::atomic<int> arrived{0};
    expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
        for (int round = 1; round <= 20; ++round) {
            ++arrived;
            communicator.barrier({});
            EXPECT_GE(arrived.load(), round * communicator.size());
            communicator.barrier({});
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
        at::Tensor sum = at::ones({10});
        communicator.all_reduce(sum, ReduceOp::Sum, {});
    });
    for (std::size_t rank = 1; rank < errors.size(); ++rank)
        EXPECT_EQ(errors[rank].code, ErrorCode::CommunicatorAborted);
    for (const auto& member : group) {
        ASSERT_TRUE(member->state());
        EXPECT_EQ(member->state()->text("reason"), "first");
    }
    // Later calls fail too.
    EXPECT_EQ(on_ranks(group, [](Communicator& member) { member.barrier({}); }).front().code,
              ErrorCode::CommunicatorAborted);
}

// The report names who is missing, where, and what everyone did last; the deadline is kept, not undercut.
TEST_P(CommunicatorContract, MissingRankIsNamedAtTheDeadlineNotBefore) {
    if (size() == 1) return;
    Group group = make();
    for (const auto& member : group)
        member->set_deadline(std::chrono::milliseconds(100));
    const auto start = std::chrono::steady_clock::now();
    const int missing = size() - 1;
    const std::vector<Error> errors = on_ranks(group, [&](Communicator& communicator) {
        communicator.barrier({});
        if (communicator.rank() == missing) return;
        at::Tensor sum = at::ones({6, 4});
        communicator.all_reduce(sum, ReduceOp::Sum, {ExchangePurpose::TensorSum, 17});
    });
    EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(100));
    const Error& error = errors.front();
    ASSERT_EQ(error.code, ErrorCode::CommunicatorTimeout) << error_message(error);
    EXPECT_EQ(error.text("missing"), "rank " + std::to_string(missing));
    const std::string message = error_message(error);
    for (const char* part :
         {"operation 2", "all_reduce", "tp_sum", "17", "4", "Float", "operation 1, barrier"})
        EXPECT_NE(message.find(part), std::string::npos) << part << " is not in: " << message;
}

INSTANTIATE_TEST_SUITE_P(All, CommunicatorContract,
                         ::testing::Combine(::testing::ValuesIn(kImplementations),
                                            ::testing::Values(1, 2, 3, 4, 8)),
                         [](const auto& info) {
                             std::string name = std::get<0>(info.param).name;
                             std::erase(name, ' ');
                             return name + std::to_string(std::get<1>(info.param)) + "Ranks";
                         });

class CheckedCommunicatorTest : public ::testing::Test {
protected:
    /// Both ranks get a mismatch whose message has all parts.
    static void expect_mismatch(const std::function<void(Communicator&)>& function,
                                std::initializer_list<const char*> parts) {
        Group group = make_checked_group(make_peer_group(2, short_deadline()));
        for (const Error& error : on_ranks(group, function)) {
            EXPECT_EQ(error.code, ErrorCode::CommunicatorMismatch) << error_message(error);
            for (const char* part : parts)
                EXPECT_NE(error_message(error).find(part), std::string::npos) << error_message(error);
        }
    }
};

TEST_F(CheckedCommunicatorTest, DifferentCallsFailOnEveryRankAndNameBoth) {
    expect_mismatch(
        [](Communicator& communicator) {
            at::Tensor out = at::empty({2, 4});
            if (communicator.rank() == 0)
                communicator.all_gather(out, at::empty({1, 4}), Sizes{1, 1}, 0, {ExchangePurpose::Cfg});
            else
                communicator.barrier({ExchangePurpose::Cfg});
        },
        {"rank 0: all_gather cfg along 0", "rank 1: barrier cfg"});
}

TEST_F(CheckedCommunicatorTest, WhatIsSentMustBeWhatIsReceived) {
    expect_mismatch(
        [](Communicator& communicator) {
            // Rank 1 believes that rank 0 has three rows for it.
            const Sizes parts = communicator.rank() == 0 ? Sizes{1, 2} : Sizes{3, 2};
            at::Tensor out = at::empty({5, communicator.rank() == 0 ? 2 : 1});
            at::Tensor in = at::empty({5, 3});
            if (communicator.rank() == 0) out = at::empty({3, 2});
            communicator.all_to_all(out, in.narrow(0, 0, communicator.rank() == 0 ? 3 : 5), Sizes{1, 2},
                                    Sizes{1, 2}, 0, 1, {ExchangePurpose::Qkv});
        },
        {"qkv", "sends", "receives"});
}

TEST_F(CheckedCommunicatorTest, LayersAndDtypesCount) {
    expect_mismatch(
        [](Communicator& communicator) {
            at::Tensor sum = at::ones({4});
            communicator.all_reduce(sum, ReduceOp::Sum, {ExchangePurpose::TensorSum, communicator.rank()});
        },
        {"layer 0", "layer 1"});
    expect_mismatch(
        [](Communicator& communicator) {
            at::Tensor sum = at::ones({4}, communicator.rank() == 0 ? at::kFloat : at::kHalf);
            communicator.all_reduce(sum, ReduceOp::Sum, {});
        },
        {"Float", "Half"});
}

TEST_F(CheckedCommunicatorTest, SwitchedOffItComparesNothing) {
    CheckSwitch check{false};
    Group group = make_checked_group(make_peer_group(2, short_deadline()), &check);
    expect_no_errors(on_ranks(group, [](Communicator& communicator) {
        at::Tensor sum = at::ones({4});
        communicator.all_reduce(sum, ReduceOp::Sum, {ExchangePurpose::TensorSum, communicator.rank()});
        EXPECT_TRUE(sum.eq(2).all().item<bool>());
    }));
}

class RecordedCommunicatorTest : public ::testing::Test {
protected:
    void run(int size, const std::function<void(Communicator&)>& function) {
        recorders_ = std::vector<Recorder>(static_cast<std::size_t>(size));
        Group group = recorded(make_peer_group(size, short_deadline()), recorders_);
        expect_no_errors(on_ranks(group, function));
    }
    ExchangeRecord only_record(int rank) const {
        const auto records = recorders_[static_cast<std::size_t>(rank)].ledger.records();
        EXPECT_EQ(records.size(), 1U);
        return records.empty() ? ExchangeRecord{} : records.front();
    }
    std::vector<Recorder> recorders_;
};

TEST_F(RecordedCommunicatorTest, CountsTheBytesThatTheFormulasSay) {
    run(3, [](Communicator& communicator) {
        at::Tensor out = at::empty({3, 100});
        communicator.all_gather(out, at::ones({1, 100}), Sizes{1, 1, 1}, 0, {ExchangePurpose::Cfg, 5});
    });
    for (Recorder& recorder : recorders_) {
        EXPECT_EQ(recorder.sent.bytes, 800U); // own part of 400 bytes to two peers
        std::vector<TelemetryEvent> events;
        recorder.writer.drain(events);
        ASSERT_EQ(events.size(), 1U);
        EXPECT_EQ(events[0].kind, EventKind::Exchange);
        EXPECT_EQ(events[0].bytes, 800U);
        EXPECT_EQ(events[0].block, 5);
        EXPECT_LE(events[0].wait_ns, events[0].end_ns - events[0].start_ns);
    }
    // Ulysses: 3 n_u (H - h_u) hd e, then (N - n_u) h_u hd e; 5 tokens and 3 heads over 2 ranks.
    const Sizes tokens{3, 2}, heads{2, 1};
    run(2, [&](Communicator& communicator) {
        const auto rank = static_cast<std::size_t>(communicator.rank());
        at::Tensor out = at::empty({3, 5, heads[rank], 4}, at::kBFloat16);
        communicator.all_to_all(out, at::ones({3, tokens[rank], 3, 4}, at::kBFloat16), tokens, heads, 1, 2,
                                {});
    });
    EXPECT_EQ(only_record(0).bytes_sent, 3U * 3 * 1 * 4 * 2);
    EXPECT_EQ(only_record(1).bytes_sent, 3U * 2 * 2 * 4 * 2);
    EXPECT_EQ(only_record(0).bytes_received, only_record(1).bytes_sent);
    // all_reduce of n: n + (P - 2) * chunk.
    run(3, [](Communicator& communicator) {
        at::Tensor sum = at::ones({11});
        communicator.all_reduce(sum, ReduceOp::Sum, {});
    });
    EXPECT_EQ(only_record(0).bytes_sent, (11U + 4) * 4);
    EXPECT_EQ(only_record(2).bytes_sent, (11U + 3) * 4);
    run(2, [](Communicator& communicator) {
        at::Tensor tensor = at::ones({11});
        communicator.broadcast(tensor, 1, {});
    });
    EXPECT_EQ(only_record(0).bytes_sent, 0U);
    EXPECT_EQ(only_record(1).bytes_sent, 44U);
}

TEST_F(RecordedCommunicatorTest, RecordsSayWhereTheRankWasAndWhoseCallItIs) {
    recorders_ = std::vector<Recorder>(2);
    Group group = recorded(make_peer_group(2, short_deadline()), recorders_);
    for (Recorder& recorder : recorders_)
        recorder.scope = {7, 3, 1, 0};
    expect_no_errors(on_ranks(group, [](Communicator& communicator) {
        at::Tensor sum = at::ones({2}, at::kBFloat16);
        for (int layer = 0; layer < 3; ++layer)
            communicator.all_reduce(sum, ReduceOp::Sum, {ExchangePurpose::TensorSum, layer});
    }));
    const auto records = recorders_[1].ledger.records();
    ASSERT_EQ(records.size(), 3U);
    const ExchangeRecord& last = records.back();
    EXPECT_EQ(last.job, 7U);
    EXPECT_EQ(last.step, 3);
    EXPECT_EQ(last.branch, 1);
    EXPECT_EQ(last.expert, 0);
    EXPECT_EQ(last.layer, 2);
    EXPECT_EQ(last.rank, 1);
    EXPECT_EQ(last.index, 1);
    EXPECT_EQ(last.group_size, 2);
    EXPECT_EQ(last.sequence, 3U);
    EXPECT_EQ(last.op, ExchangeOp::AllReduce);
    EXPECT_EQ(last.purpose, ExchangePurpose::TensorSum);
    EXPECT_EQ(last.element_bytes, 2);
    EXPECT_LE(last.issued_ns, last.start_ns);
    EXPECT_LE(last.start_ns, last.end_ns);
}

TEST(ExchangeLedgerTest, KeepsTheLastOnes) {
    ExchangeLedger ledger;
    ExchangeRecord record;
    for (record.sequence = 1; record.sequence <= ExchangeLedger::kKept + 10; ++record.sequence)
        ledger.add(record);
    const auto records = ledger.records();
    EXPECT_EQ(records.size(), ExchangeLedger::kKept);
    EXPECT_EQ(records.front().sequence, 11U);
    EXPECT_EQ(records.back().sequence, ExchangeLedger::kKept + 10);
    ledger.reset();
    EXPECT_TRUE(ledger.records().empty());
}

} // namespace
} // namespace reelmesh
