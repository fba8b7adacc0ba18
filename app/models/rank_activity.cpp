#include "rank_activity.h"

#include <algorithm>

namespace reelmesh {
namespace {

constexpr std::size_t kKeptSteps = 3;

double seconds(std::int64_t nanoseconds) {
    return static_cast<double>(std::max<std::int64_t>(0, nanoseconds)) * 1e-9;
}

RankState stateOf(EventWork work) {
    switch (work) {
    case EventWork::Load:
    case EventWork::Copy:
    case EventWork::Save: return RankState::Load;
    case EventWork::Text: return RankState::Text;
    case EventWork::Cfg: return RankState::Comm;
    case EventWork::Wait: return RankState::Wait;
    case EventWork::Vae: return RankState::Decode;
    case EventWork::None:
    case EventWork::Attention:
    case EventWork::Linear:
    case EventWork::Norm: break;
    }
    return RankState::Compute;
}

/// Until a rank says more.
RankState stateOf(Stage stage) {
    switch (stage) {
    case Stage::Load: return RankState::Load;
    case Stage::Denoise: return RankState::Compute;
    case Stage::Decode: return RankState::Decode;
    case Stage::None:
    case Stage::Plan:
    case Stage::Text:
    case Stage::Write: break;
    }
    return RankState::Idle;
}

} // namespace

void RankActivity::reset(int ranks) {
    ranks_.assign(at(std::max(0, ranks)), {});
    steps_.clear();
    stage_ = Stage::None;
}

void RankActivity::enter(Stage stage) {
    if (stage == stage_) return;
    stage_ = stage;
    for (Rank& rank : ranks_)
        rank = {.state = stateOf(stage)};
}

void RankActivity::apply(const std::vector<TelemetryEvent>& events) {
    for (const TelemetryEvent& event : events)
        if (event.rank >= 0 && at(event.rank) < ranks_.size()) add(event);
}

void RankActivity::apply(const StepDone& event) {
    StepSums& sums = step(event.step);
    sums.seconds = event.seconds;
    sums.own = event.rank_seconds;
    sums.complete = true;
}

void RankActivity::fail(int rank) {
    finish();
    if (rank >= 0 && at(rank) < ranks_.size()) ranks_[at(rank)].state = RankState::Error;
}

void RankActivity::finish() {
    stage_ = Stage::None;
    for (Rank& rank : ranks_)
        rank = {};
}

void RankActivity::add(const TelemetryEvent& event) {
    Rank& rank = ranks_[at(event.rank)];
    const double span = seconds(event.end_ns - event.start_ns);
    const double wait = std::min(span, seconds(event.wait_ns));
    const auto spent = [&rank](RankState state) -> double& {
        return rank.seconds[static_cast<std::size_t>(state)];
    };
    switch (event.kind) {
    case EventKind::Exchange:
        spent(RankState::Wait) += wait;
        spent(RankState::Comm) += span - wait;
        // It lies within a block that will be counted whole.
        if (event.group != ExchangeGroup::Cfg)
            spent(stage_ == Stage::Decode ? RankState::Decode : RankState::Compute) -= span;
        count(event);
        break;
    case EventKind::Block: spent(stateOf(event.work)) += span; break;
    case EventKind::Step: {
        StepSums& sums = step(event.step);
        sums.span[event.rank] = span;
        sums.wait[event.rank] = wait;
        if (sums.span.size() == ranks_.size()) sums.complete = true;
        spent(RankState::Compute) = std::max(0.0, spent(RankState::Compute));
        break;
    }
    default: break;
    }
}

void RankActivity::count(const TelemetryEvent& event) {
    if (event.step < 0) return;
    StepSums& sums = step(event.step);
    const double span = seconds(event.end_ns - event.start_ns);
    const double wait = std::min(span, seconds(event.wait_ns));
    Member& member = sums.groups[{event.group, event.first_rank}][event.rank];
    member.bytes += static_cast<double>(event.bytes);
    member.transfer += span - wait;
    member.wait += wait;
    member.staged = member.staged || event.link == LinkKind::Staged;
    sums.exchange[event.rank] += span;
}

RankActivity::StepSums& RankActivity::step(int number) {
    steps_.try_emplace(number);
    while (steps_.size() > kKeptSteps && steps_.begin()->first != number)
        steps_.erase(steps_.begin());
    return steps_[number];
}

const RankActivity::StepSums* RankActivity::last() const {
    for (auto entry = steps_.rbegin(); entry != steps_.rend(); ++entry)
        if (entry->second.complete) return &entry->second;
    return nullptr;
}

void RankActivity::settle() {
    for (Rank& rank : ranks_) {
        const auto most = std::max_element(rank.seconds.begin(), rank.seconds.end());
        if (*most > 0 && stage_ != Stage::None)
            rank.state = static_cast<RankState>(most - rank.seconds.begin());
        // A block's exchanges come before the block: what they took off stays owed.
        for (double& spent : rank.seconds)
            spent = std::min(0.0, spent);
    }
}

double RankActivity::busy(int rank) const {
    const StepSums* sums = last();
    if (!sums) return kUnknown;
    if (const auto span = sums->span.find(rank); span != sums->span.end() && span->second > 0) {
        const auto exchange = sums->exchange.find(rank);
        const double away = exchange == sums->exchange.end() ? sums->wait.at(rank) : exchange->second;
        return std::clamp(1 - away / span->second, 0.0, 1.0);
    }
    if (at(rank) < sums->own.size() && sums->seconds > 0)
        return std::clamp(sums->own[at(rank)] / sums->seconds, 0.0, 1.0);
    return kUnknown;
}

double RankActivity::stepSeconds(int rank) const {
    const StepSums* sums = last();
    if (!sums) return kUnknown;
    if (at(rank) < sums->own.size()) return sums->own[at(rank)];
    const auto span = sums->span.find(rank);
    return span == sums->span.end() ? kUnknown : span->second - sums->wait.at(rank);
}

std::optional<RankActivity::Transfer> RankActivity::transfer(ExchangeGroup group, int firstRank) const {
    const StepSums* sums = last();
    if (!sums) return std::nullopt;
    const auto members = sums->groups.find({group, firstRank});
    if (members == sums->groups.end()) return std::nullopt;
    Transfer busiest;
    for (const auto& [rank, member] : members->second) {
        busiest.staged = busiest.staged || member.staged;
        if (member.bytes < busiest.bytes) continue;
        busiest.bytes = member.bytes;
        busiest.transferSeconds = member.transfer;
        busiest.waitSeconds = member.wait;
    }
    return busiest;
}

} // namespace reelmesh
