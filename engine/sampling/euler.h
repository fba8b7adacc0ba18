// The first-order sampler: a straight line along the velocity. Keeps no history.
#pragma once

#include "sampling/scheduled_sampler.h"

namespace reelmesh {

class EulerSampler final : public ScheduledSampler {
public:
    using ScheduledSampler::ScheduledSampler;

private:
    at::Tensor advance(const at::Tensor& velocity, const at::Tensor& sample, int index) override;
};

} // namespace reelmesh
