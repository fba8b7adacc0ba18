// From velocities to the next latents. One object a stream and job holds the solver's history;
// every rank keeps its own and computes the same numbers.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string_view>
#include <vector>

#include "request/model_card.h"

namespace reelmesh {

/// The noise levels of a run. sigmas has one entry more than timesteps, the last is the end (0).
struct Schedule {
    std::vector<float> sigmas;
    std::vector<double> timesteps; ///< as the model takes them: whole numbers where the reference truncates
};

class Sampler {
public:
    virtual ~Sampler() = default;
    virtual const Schedule& schedule() const = 0;
    /// velocity and sample [..] float32 at sigmas[index]; indices must come in order from 0. Returns the
    /// sample at sigmas[index+1] in a new buffer, so that the last complete step survives a cancel.
    virtual at::Tensor step(const at::Tensor& velocity, const at::Tensor& sample, int index) = 0;
};

/// The estimate of the clean sample, sample - sigma * velocity: previews and stop-and-decode.
at::Tensor clean_estimate(const at::Tensor& velocity, const at::Tensor& sample, float sigma);

/// name: "unipc", "euler", "dpmpp_2m". shift: flow shift; the config gives the rest (solver order, type,
/// final sigma).
std::unique_ptr<Sampler> make_sampler(std::string_view name, const SchedulerConfig& config, double shift,
                                      int steps);
/// The registry's keys, first is the default.
std::vector<std::string_view> sampler_names();

} // namespace reelmesh
