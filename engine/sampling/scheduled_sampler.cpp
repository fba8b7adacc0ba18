#include "sampling/scheduled_sampler.h"

#include "base/check.h"

namespace reelmesh {

at::Tensor ScheduledSampler::step(const at::Tensor& velocity, const at::Tensor& sample, int index) {
    REELMESH_CHECK(index == next_index_ && index < num_steps());
    REELMESH_CHECK(velocity.scalar_type() == at::kFloat && sample.scalar_type() == at::kFloat);
    REELMESH_CHECK(velocity.sizes() == sample.sizes());
    ++next_index_;
    return advance(velocity, sample, index);
}

} // namespace reelmesh
