// How long a job will still take, from what its steps took so far and what decoding takes.
// Control thread.
#pragma once

#include <vector>

namespace reelmesh {

/// How long decoding will take: measured on an earlier job of this model, else by its share of the
/// arithmetic.
struct DecodeForecast {
    double measured_seconds = 0; ///< 0: never measured
    double in_steps = 0;         ///< multiply-adds of decoding over those of one step
};

class RemainingTime {
public:
    RemainingTime(int steps, const DecodeForecast& decode) : steps_(steps), decode_(decode) {}

    void step_took(double seconds) { taken_.push_back(seconds); }
    /// Of the whole job; -1 before the first step.
    double seconds(int steps_done) const;
    /// While decoding: from the share that is done and the time it took.
    static double decoding(double share_done, double seconds_so_far);

private:
    int steps_;
    DecodeForecast decode_;
    std::vector<double> taken_;
};

} // namespace reelmesh
