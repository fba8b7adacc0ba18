// UniPC, the multistep predictor with a corrector that needs no second model call, in its form for
// clean estimates. Orders 1 to 3; the equations are those of the paper's B(h) variants bh1 and bh2.
#pragma once

#include <deque>

#include "sampling/scheduled_sampler.h"

namespace reelmesh {

class UniPcSampler final : public ScheduledSampler {
public:
    /// Of the config: solver_order, solver_type ("bh1", anything else is bh2), lower_order_final,
    /// disable_corrector. Throws BadConfig for another order.
    UniPcSampler(const SchedulerConfig& config, Schedule schedule);

private:
    at::Tensor advance(const at::Tensor& velocity, const at::Tensor& sample, int index) override;

    struct Move;
    Move make_move(int from, int to, int order) const;
    at::Tensor predicted(const at::Tensor& sample, int index, int order) const;
    at::Tensor corrected(const at::Tensor& new_clean, int index) const;
    int order_at(int index) const;

    SchedulerConfig config_;
    int last_order_ = 0;           ///< of the step before
    std::deque<at::Tensor> clean_; ///< estimates, latest first, at most solver_order
    at::Tensor last_sample_;       ///< corrected, where the step before started
};

} // namespace reelmesh
