#include "sampling/dpmpp_2m.h"

#include <ATen/TensorOperators.h>

#include <cmath>

#include "sampling/schedule.h"

namespace reelmesh {

Dpmpp2mSampler::Dpmpp2mSampler(const SchedulerConfig& config, Schedule schedule)
    : ScheduledSampler(std::move(schedule)), second_order_(config.solver_order >= 2),
      heun_(config.solver_type == "heun") {}

at::Tensor Dpmpp2mSampler::advance(const at::Tensor& velocity, const at::Tensor& sample, int index) {
    const float next_sigma = sigma(index + 1);
    const float next_alpha = 1 - next_sigma;
    const float h = log_snr(next_sigma) - log_snr(sigma(index));
    const float decay = std::exp(-h) - 1;

    const at::Tensor clean = clean_estimate(velocity, sample, sigma(index));
    at::Tensor next = sample * (next_sigma / sigma(index)) - clean * (next_alpha * decay);
    if (second_order_ && index > 0 && next_sigma > 0) {
        const float ratio = (log_snr(sigma(index)) - log_snr(sigma(index - 1))) / h;
        const at::Tensor slope = (clean - last_clean_) / ratio;
        const float weight = heun_ ? next_alpha * (decay / h + 1) : -0.5F * (next_alpha * decay);
        next = next + slope * weight;
    }
    last_clean_ = clean;
    return next;
}

} // namespace reelmesh
