#include "recorded_trace.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/block_part.h"
#include "engine/request.h"

namespace reelmesh {
namespace {

struct PartSpan {
    BlockPart part;
    EventWork work;
    std::int64_t ns;
};
constexpr std::array kBefore{PartSpan{BlockPart::Norm, EventWork::Norm, 400'000},
                             PartSpan{BlockPart::QkvLinear, EventWork::Linear, 2'100'000},
                             PartSpan{BlockPart::Norm, EventWork::Norm, 500'000}};
constexpr PartSpan kAttention{BlockPart::SelfAttention, EventWork::Attention, 10'200'000};
constexpr std::array kAfter{PartSpan{BlockPart::OutLinear, EventWork::Linear, 800'000},
                            PartSpan{BlockPart::CrossAttention, EventWork::Attention, 1'300'000},
                            PartSpan{BlockPart::Norm, EventWork::Norm, 400'000},
                            PartSpan{BlockPart::Mlp, EventWork::Linear, 5'900'000}};

class Recorder {
public:
    explicit Recorder(const RecordedRun& run)
        : run_(run), ranks_(run.branches * run.ulysses), now_(ranks_, 0), waited_(ranks_, 0) {}

    Trace run() {
        Trace trace;
        host(Stage::Load, 0, 40'000'000);
        host(Stage::Text, 40'000'000, 90'000'000);
        std::fill(now_.begin(), now_.end(), 90'000'000);
        const std::int64_t begin = 90'000'000;
        for (int step = 0; step < run_.steps; ++step)
            this->step(step);
        host(Stage::Denoise, begin, *std::max_element(now_.begin(), now_.end()));
        trace.events = std::move(events_);
        std::string mesh = "cfg" + std::to_string(run_.branches) + ",ulysses" + std::to_string(run_.ulysses);
        if (run_.branches == 1) mesh = "ulysses" + std::to_string(run_.ulysses);
        trace.mesh = mesh;
        for (int rank = 0; rank < ranks_; ++rank)
            trace.devices.push_back("cuda:" + std::to_string(rank));
        JobRequest request;
        request.prompt = "a kite";
        request.steps = run_.totalSteps;
        trace.job_json = job_to_json(request, JobScope::Whole);
        trace.detail = run_.parts ? 2 : 1;
        return trace;
    }

private:
    TelemetryEvent event(EventKind kind, int rank, std::int64_t start, std::int64_t end) const {
        TelemetryEvent event;
        event.kind = kind;
        event.rank = static_cast<std::int16_t>(rank);
        event.step = step_;
        event.block = block_;
        event.start_ns = start;
        event.end_ns = end;
        return event;
    }

    void host(Stage stage, std::int64_t start, std::int64_t end) {
        step_ = block_ = -1;
        TelemetryEvent one = event(EventKind::Stage, -1, start, end);
        one.detail = static_cast<std::uint16_t>(stage);
        events_.push_back(one);
    }

    std::int64_t stretched(int rank, std::int64_t ns) {
        random_ = random_ * 6364136223846793005U + 1442695040888963407U;
        const auto noise = static_cast<std::int64_t>(random_ >> 40) % (ns / 50 + 1);
        return ns + noise + (rank == run_.slowRank ? ns / 25 : 0) + (step_ == 8 ? ns / 10 : 0);
    }

    void part(int rank, const PartSpan& span) {
        const std::int64_t start = now_[rank];
        now_[rank] += stretched(rank, span.ns);
        if (!run_.parts) return;
        TelemetryEvent one = event(EventKind::Part, rank, start, now_[rank]);
        one.work = span.work;
        one.detail = static_cast<std::uint16_t>(span.part);
        events_.push_back(one);
    }

    void exchange(const std::vector<int>& members, ExchangeGroup group, ExchangePurpose purpose,
                  std::uint64_t bytes, std::int64_t transfer_ns) {
        std::int64_t ready = 0;
        for (const int rank : members)
            ready = std::max(ready, now_[rank]);
        const std::uint32_t sequence = ++calls_[static_cast<std::size_t>(group)][members.front()];
        for (const int rank : members) {
            TelemetryEvent one = event(EventKind::Exchange, rank, now_[rank], ready + transfer_ns);
            one.wait_ns = ready - now_[rank];
            one.bytes = one.bytes_received = bytes;
            one.sequence = sequence;
            one.first_rank = static_cast<std::int16_t>(members.front());
            one.group = group;
            one.group_size = static_cast<std::uint8_t>(members.size());
            one.op = group == ExchangeGroup::Cfg ? ExchangeOp::AllGather : ExchangeOp::AllToAll;
            one.work = group == ExchangeGroup::Cfg ? EventWork::Cfg : EventWork::Copy;
            one.detail = static_cast<std::uint16_t>(purpose);
            one.link = LinkKind::Peer;
            events_.push_back(one);
            waited_[rank] += one.wait_ns;
            now_[rank] = one.end_ns;
        }
    }

    void step(int step) {
        step_ = step;
        const std::vector<std::int64_t> begin = now_;
        for (block_ = 0; block_ < run_.blocks; ++block_)
            for (int branch = 0; branch < run_.branches; ++branch)
                block(branch);
        block_ = -1;
        for (int column = 0; run_.branches > 1 && column < run_.ulysses; ++column) {
            std::vector<int> members;
            for (int branch = 0; branch < run_.branches; ++branch)
                members.push_back(branch * run_.ulysses + column);
            exchange(members, ExchangeGroup::Cfg, ExchangePurpose::Cfg, 2'100'000, 90'000);
        }
        for (int rank = 0; rank < ranks_; ++rank) {
            TelemetryEvent one = event(EventKind::Step, rank, begin[rank], now_[rank]);
            one.wait_ns = std::exchange(waited_[rank], 0);
            events_.push_back(one);
        }
    }

    void block(int branch) {
        std::vector<int> members;
        for (int i = 0; i < run_.ulysses; ++i)
            members.push_back(branch * run_.ulysses + i);
        const std::vector<std::int64_t> begin = now_;
        for (const int rank : members)
            for (const PartSpan& span : kBefore)
                part(rank, span);
        exchange(members, ExchangeGroup::Ulysses, ExchangePurpose::Qkv, 125'800'000, 740'000);
        for (const int rank : members)
            part(rank, kAttention);
        exchange(members, ExchangeGroup::Ulysses, ExchangePurpose::Output, 41'900'000, 250'000);
        for (const int rank : members) {
            for (const PartSpan& span : kAfter)
                part(rank, span);
            TelemetryEvent one = event(EventKind::Block, rank, begin[rank], now_[rank]);
            one.work = EventWork::Attention;
            one.detail = static_cast<std::uint16_t>(branch);
            events_.push_back(one);
        }
    }

    const RecordedRun run_;
    const int ranks_;
    std::vector<std::int64_t> now_, waited_; ///< waited_: in the step so far
    std::array<std::array<std::uint32_t, 256>, 7> calls_{};
    std::vector<TelemetryEvent> events_;
    std::int32_t step_ = -1, block_ = -1;
    std::uint64_t random_ = 7;
};

} // namespace

Trace recordedTrace(const RecordedRun& run) {
    return Recorder(run).run();
}

Trace longTrace(std::size_t events) {
    RecordedRun run{.branches = 2, .ulysses = 8, .steps = 50};
    // Eight parts, two exchanges and the block itself.
    run.blocks = static_cast<int>(events / (std::size_t{16} * 11 * 50)) + 1;
    run.totalSteps = run.steps;
    return recordedTrace(run);
}

} // namespace reelmesh
