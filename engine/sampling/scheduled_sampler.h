// What every sampler has: its schedule, and steps that come in order with float32 tensors of one shape.
#pragma once

#include "sampling/sampler.h"

namespace reelmesh {

class ScheduledSampler : public Sampler {
public:
    explicit ScheduledSampler(Schedule schedule) : schedule_(std::move(schedule)) {}

    const Schedule& schedule() const final { return schedule_; }
    /// Checks order, types and shapes, then advances.
    at::Tensor step(const at::Tensor& velocity, const at::Tensor& sample, int index) final;

protected:
    /// As Sampler::step. Sums and products are separate operations: each is rounded once, so that the bits do
    /// not depend on how a tensor is cut into threads or ranks.
    virtual at::Tensor advance(const at::Tensor& velocity, const at::Tensor& sample, int index) = 0;

    int num_steps() const { return static_cast<int>(schedule_.timesteps.size()); }
    float sigma(int index) const { return schedule_.sigmas[static_cast<std::size_t>(index)]; }

private:
    Schedule schedule_;
    int next_index_ = 0;
};

} // namespace reelmesh
