// The noise levels that the samplers walk down, each as its reference makes them: float64 until the
// end, timesteps taken before sigmas are rounded to float32. Pure functions.
#pragma once

#include "sampling/sampler.h"

namespace reelmesh {

/// UniPC's: shifted even levels from 1 downwards, whole timesteps; honours shift_terminal and
/// final_sigmas_type.
Schedule flow_schedule(const SchedulerConfig& config, double shift, int steps);
/// DPM++'s, and UniPC's before the formula changed: starts below 1, always ends at 0.
Schedule earlier_flow_schedule(const SchedulerConfig& config, double shift, int steps);
/// Euler's: fractional timesteps, the shift acting twice on the lower end; honours shift_terminal.
Schedule euler_schedule(const SchedulerConfig& config, double shift, int steps);

/// Half the logarithm of the signal to noise ratio, ln(1 - sigma) - ln(sigma): infinite at 0 and 1.
float log_snr(float sigma);

} // namespace reelmesh
