// DPM-Solver++(2M) for flow: second order from the last two clean estimates, first order in the
// first and the last step.
#pragma once

#include "sampling/scheduled_sampler.h"

namespace reelmesh {

class Dpmpp2mSampler final : public ScheduledSampler {
public:
    /// Of the config: solver_order (1 or 2; more counts as 2), solver_type ("heun", anything else is
    /// midpoint).
    Dpmpp2mSampler(const SchedulerConfig& config, Schedule schedule);

private:
    at::Tensor advance(const at::Tensor& velocity, const at::Tensor& sample, int index) override;

    bool second_order_;
    bool heun_;
    at::Tensor last_clean_; ///< estimate of the step before
};

} // namespace reelmesh
