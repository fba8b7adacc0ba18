// What each rank is doing and what its last step was made of, out of telemetry. Knows no plan. One thread at
// a time.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/events.h"
#include "models/mesh_scene.h"

namespace reelmesh {

class RankActivity {
public:
    /// Of a group of ranks in one step, by its busiest member.
    struct Transfer {
        double bytes = 0, transferSeconds = 0, waitSeconds = 0;
        bool staged = false;
    };

    void reset(int ranks);
    void enter(Stage stage);
    void apply(const std::vector<TelemetryEvent>& events);
    void apply(const StepDone& event);
    /// The rank that failed; -1: none in particular.
    void fail(int rank);
    /// Idle from here on; the figures of the last step stay.
    void finish();
    /// What each rank did most since the last call becomes its state; without news it stays.
    void settle();

    RankState state(int rank) const { return ranks_[at(rank)].state; }
    /// Share of the last step that was neither waiting nor exchange; NaN: unknown.
    double busy(int rank) const;
    /// Of the last step without waiting; NaN: unknown.
    double stepSeconds(int rank) const;
    /// Nothing before a step is complete.
    std::optional<Transfer> transfer(ExchangeGroup group, int firstRank) const;

private:
    static constexpr std::size_t kStates = static_cast<std::size_t>(RankState::Error) + 1;

    struct Rank {
        RankState state = RankState::Idle;
        std::array<double, kStates> seconds{}; ///< by what was done, since settle()
    };
    struct Member {
        double bytes = 0, transfer = 0, wait = 0;
        bool staged = false;
    };
    using GroupKey = std::pair<ExchangeGroup, int>;
    /// One denoising step.
    struct StepSums {
        std::map<GroupKey, std::map<int, Member>> groups;
        std::map<int, double> exchange; ///< seconds by rank, waiting included
        std::map<int, double> span, wait;
        double seconds = kUnknown; ///< wall
        std::vector<double> own;   ///< as the engine told
        bool complete = false;
    };

    static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
    void add(const TelemetryEvent& event);
    void count(const TelemetryEvent& event);
    /// nullptr: no step is complete.
    const StepSums* last() const;
    StepSums& step(int number);

    std::vector<Rank> ranks_;
    std::map<int, StepSums> steps_; ///< the last few
    Stage stage_ = Stage::None;
};

} // namespace reelmesh
