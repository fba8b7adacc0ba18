#include "sampling/schedule.h"

#include <cmath>

#include "base/check.h"

namespace reelmesh {
namespace {

// The multiplication comes before the addition, as in numpy: one ulp decides where a timestep is truncated.
std::vector<double> even_levels(double first, double last, int count) {
    std::vector<double> levels(static_cast<std::size_t>(count), first);
    for (int i = 1; i < count; ++i)
        levels[i] = i * ((last - first) / (count - 1)) + first;
    if (count > 1) levels.back() = last;
    return levels;
}

template <class T>
T shifted(T sigma, T shift) {
    return shift * sigma / (1 + (shift - 1) * sigma);
}

/// Stretches the levels so that the last one is the terminal, keeping 1 in place.
void stretch_to_terminal(std::vector<double>& sigmas, const std::optional<double>& terminal) {
    const double last = 1 - sigmas.back();
    // A single level at 1 has nothing to stretch.
    if (!terminal || *terminal == 0 || last == 0) return;
    const double scale = last / (1 - *terminal);
    for (double& sigma : sigmas)
        sigma = 1 - (1 - sigma) / scale;
}

[[noreturn]] void refuse(const char* field, const std::string& found, const char* needed) {
    fail(ErrorCode::BadConfig, {{"file", std::string("scheduler_config.json")},
                                {"field", std::string(field)},
                                {"found", found},
                                {"needed", std::string(needed)}});
}

void check_arguments(const SchedulerConfig& config, double shift, int steps) {
    REELMESH_CHECK(steps >= 1 && shift > 0 && config.num_train_timesteps >= 1);
    if (config.use_dynamic_shifting) refuse("use_dynamic_shifting", "true", "false");
}

Schedule whole_timesteps(const std::vector<double>& sigmas, std::int64_t num_train_timesteps) {
    Schedule schedule;
    for (const double sigma : sigmas) {
        schedule.timesteps.push_back(std::trunc(sigma * static_cast<double>(num_train_timesteps)));
        schedule.sigmas.push_back(static_cast<float>(sigma));
    }
    return schedule;
}

} // namespace

Schedule flow_schedule(const SchedulerConfig& config, double shift, int steps) {
    check_arguments(config, shift, steps);
    std::vector<double> sigmas =
        even_levels(1, 1.0 / static_cast<double>(config.num_train_timesteps), steps + 1);
    sigmas.pop_back();
    for (double& sigma : sigmas)
        sigma = shifted(sigma, shift);
    stretch_to_terminal(sigmas, config.shift_terminal);
    // At 1 the signal part is zero and its logarithm infinite.
    if (std::abs(sigmas.front() - 1) < 1e-6) sigmas.front() -= 1e-6;
    Schedule schedule = whole_timesteps(sigmas, config.num_train_timesteps);
    if (config.final_sigmas_type == "zero")
        schedule.sigmas.push_back(0);
    else if (config.final_sigmas_type == "sigma_min")
        schedule.sigmas.push_back(schedule.sigmas.back());
    else
        refuse("final_sigmas_type", config.final_sigmas_type, "zero, sigma_min");
    return schedule;
}

Schedule earlier_flow_schedule(const SchedulerConfig& config, double shift, int steps) {
    check_arguments(config, shift, steps);
    // The reference ends sigma_min at a level of its image models, which flow has not.
    if (config.final_sigmas_type != "zero") refuse("final_sigmas_type", config.final_sigmas_type, "zero");
    std::vector<double> sigmas;
    const auto alphas = even_levels(1, 1.0 / static_cast<double>(config.num_train_timesteps), steps + 1);
    for (int i = steps; i >= 1; --i)
        sigmas.push_back(shifted(1 - alphas[i], shift));
    Schedule schedule = whole_timesteps(sigmas, config.num_train_timesteps);
    schedule.sigmas.push_back(0);
    return schedule;
}

Schedule euler_schedule(const SchedulerConfig& config, double shift, int steps) {
    check_arguments(config, shift, steps);
    const auto num_train_timesteps = static_cast<double>(config.num_train_timesteps);
    // The training levels are float32 and shifted already; their ends are shifted again below, as the
    // reference does.
    const auto shift32 = static_cast<float>(shift);
    const float lowest = shifted(1 / static_cast<float>(config.num_train_timesteps), shift32);
    std::vector<double> sigmas = even_levels(num_train_timesteps, lowest * num_train_timesteps, steps);
    for (double& sigma : sigmas)
        sigma = shifted(sigma / num_train_timesteps, shift);
    stretch_to_terminal(sigmas, config.shift_terminal);
    Schedule schedule;
    for (const double sigma : sigmas) {
        schedule.sigmas.push_back(static_cast<float>(sigma));
        schedule.timesteps.push_back(schedule.sigmas.back() * static_cast<float>(num_train_timesteps));
    }
    schedule.sigmas.push_back(0);
    return schedule;
}

float log_snr(float sigma) {
    return std::log(1 - sigma) - std::log(sigma);
}

} // namespace reelmesh
