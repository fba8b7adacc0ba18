// Every sampler against the reference's traces, and against the self-test's four numbers.
#include "sampling/sampler.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>

#include "engine/sampling/goldens.h"
#include "sampling/schedule.h"
#include "sampling/unipc.h"

namespace reelmesh {
namespace {

using Values = std::array<float, 4>;

struct TracedSampler {
    std::string name;
    SchedulerConfig config;
};

TracedSampler traced_sampler(const std::string& family) {
    const std::map<std::string, TracedSampler> variants{
        {"UniPC.solver_type=bh1", {"unipc", {.solver_type = "bh1"}}},
        {"UniPC.solver_order=3", {"unipc", {.solver_order = 3}}},
        {"UniPC.disable_corrector=[0,1]", {"unipc", {.disable_corrector = {0, 1}}}},
        {"UniPC.lower_order_final=True_solver_order=1", {"unipc", {.solver_order = 1}}}};
    const auto variant = variants.find(family);
    return variant != variants.end() ? variant->second : TracedSampler{testing::sampler_of_class(family), {}};
}

TEST(SamplerTest, EveryGoldenTraceIsReproduced) {
    int traces = 0;
    const auto goldens = testing::read_golden_json("scheduler_steps.json");
    for (const std::string key : goldens.at("traces")) {
        SCOPED_TRACE(key);
        const std::size_t steps_at = key.rfind(".N"), shift_at = key.rfind(".shift");
        const TracedSampler traced = traced_sampler(key.substr(0, steps_at));
        const auto sampler = make_sampler(traced.name, traced.config, std::stod(key.substr(shift_at + 6)),
                                          std::stoi(key.substr(steps_at + 2)));
        const at::Tensor velocities = testing::read_trace(key + ".velocity");
        const at::Tensor latents = testing::read_trace(key + ".latents");
        at::Tensor sample = testing::read_trace(key + ".x0");
        for (int i = 0; i < velocities.size(0); ++i) {
            sample = sampler->step(velocities[i], sample, i);
            EXPECT_LE(testing::relative_l2(sample, latents[i]), 1e-5) << i;
        }
        ++traces;
    }
    EXPECT_EQ(traces, 34);
}

/// The self-test's field, v = 0.8 x - 0.3 cos(0.7 i) + 0.05 x^2, walked from (1, -0.5, 0.25, 2).
std::vector<Values> walk(Sampler& sampler) {
    Values x{1, -0.5F, 0.25F, 2};
    std::vector<Values> steps;
    for (int i = 0; i < std::ssize(sampler.schedule().timesteps); ++i) {
        Values velocity;
        for (std::size_t k = 0; k < x.size(); ++k)
            velocity[k] = 0.8F * x[k] - 0.3F * static_cast<float>(std::cos(0.7 * i)) + 0.05F * x[k] * x[k];
        const at::Tensor next = sampler.step(at::from_blob(velocity.data(), {4}, at::kFloat),
                                             at::from_blob(x.data(), {4}, at::kFloat), i);
        std::copy_n(next.const_data_ptr<float>(), 4, x.begin());
        steps.push_back(x);
    }
    return steps;
}

void expect_values(const Values& actual, const Values& expected) {
    for (std::size_t k = 0; k < expected.size(); ++k)
        EXPECT_NEAR(actual[k], expected[k], 1e-5 * std::abs(expected[k]) + 1e-6) << k;
}

void expect_walk(Sampler& sampler, const std::vector<Values>& expected) {
    const auto steps = walk(sampler);
    ASSERT_EQ(steps.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        SCOPED_TRACE(i);
        expect_values(steps[i], expected[i]);
    }
}

TEST(SamplerTest, UniPcReachesTheSelfTestNumbers) {
    expect_walk(*make_sampler("unipc", {}, 3, 6),
                {{0.965664268F, -0.457080305F, 0.256047785F, 1.90635705F},
                 {0.91715014F, -0.413256586F, 0.255488187F, 1.78849077F},
                 {0.829293907F, -0.389548093F, 0.225112408F, 1.61903203F},
                 {0.690609276F, -0.387650281F, 0.158384517F, 1.37968993F},
                 {0.49800238F, -0.404470921F, 0.0547519587F, 1.06575012F},
                 {0.237628609F, -0.391500056F, -0.0675375164F, 0.617705226F}});
    expect_values(walk(*make_sampler("unipc", {}, 5, 20)).back(),
                  {0.535668552F, -0.11756584F, 0.217648581F, 0.93513602F});
}

TEST(SamplerTest, UniPcOnTheEarlierScheduleReachesTheSelfTestNumbers) {
    UniPcSampler six({}, earlier_flow_schedule({}, 3, 6));
    expect_walk(six, {{0.965614974F, -0.457018703F, 0.256056458F, 1.90622258F},
                      {0.916885197F, -0.413498849F, 0.255223989F, 1.78826308F},
                      {0.829104424F, -0.389290482F, 0.225155443F, 1.61850381F},
                      {0.690155625F, -0.3874017F, 0.158290401F, 1.37873316F},
                      {0.497126967F, -0.404384464F, 0.0543601066F, 1.0642252F},
                      {0.238198102F, -0.391496301F, -0.067263402F, 0.618704915F}});
    UniPcSampler twenty({}, earlier_flow_schedule({}, 5, 20));
    expect_values(walk(twenty).back(), {0.536040545F, -0.117797419F, 0.217705727F, 0.935965359F});
}

TEST(SamplerTest, EulerReachesTheSelfTestNumbers) {
    expect_walk(*make_sampler("euler", {}, 3, 6),
                {{0.957838416F, -0.44729799F, 0.257426202F, 1.88501382F},
                 {0.896994352F, -0.387018114F, 0.259535283F, 1.73295629F},
                 {0.790547311F, -0.333840102F, 0.235438913F, 1.50924015F},
                 {0.598091483F, -0.307858109F, 0.154556036F, 1.16152477F},
                 {0.26833269F, -0.325263649F, -0.017939806F, 0.619983137F},
                 {0.263875514F, -0.325495929F, -0.0203201752F, 0.612874746F}});
}

TEST(SamplerTest, DpmppReachesTheSelfTestNumbers) {
    expect_walk(*make_sampler("dpmpp_2m", {}, 3, 6),
                {{0.965614974F, -0.457018703F, 0.256056458F, 1.90622258F},
                 {0.917947769F, -0.4107427F, 0.257247925F, 1.78765261F},
                 {0.834681749F, -0.379675269F, 0.232994929F, 1.62025893F},
                 {0.696390033F, -0.375752509F, 0.16749154F, 1.38019192F},
                 {0.498036265F, -0.397689342F, 0.0583571382F, 1.06044197F},
                 {0.2388179F, -0.386707604F, -0.0644730181F, 0.616206467F}});
}

TEST(SamplerTest, OptionsOfAnotherSolverFallBackToTheSamplersOwn) {
    // A folder made for one sampler serves a job that asks for another.
    EXPECT_EQ(walk(*make_sampler("unipc", {.solver_type = "midpoint"}, 3, 6)),
              walk(*make_sampler("unipc", {}, 3, 6)));
    EXPECT_EQ(walk(*make_sampler("dpmpp_2m", {.solver_order = 3}, 3, 6)),
              walk(*make_sampler("dpmpp_2m", {}, 3, 6)));
}

TEST(SamplerTest, HeunWeighsTheSlopeByItsOwnIntegral) {
    const auto sampler = make_sampler("dpmpp_2m", {.solver_type = "heun"}, 3, 6);
    const auto& sigmas = sampler->schedule().sigmas;
    // In float64: x moves to sigma/sigma x + the integral of the line through the two last clean samples.
    const double velocity = 0.4, start = 1.5;
    const auto level = [&](int i) {
        return std::log(1.0 - sigmas[i]) - std::log(static_cast<double>(sigmas[i]));
    };
    const double first_clean = start - sigmas[0] * velocity;
    const double first_decay = std::exp(level(0) - level(1)) - 1;
    const double middle = sigmas[1] / sigmas[0] * start - (1 - sigmas[1]) * first_decay * first_clean;
    const double h = level(2) - level(1), decay = std::exp(-h) - 1;
    const double clean = middle - sigmas[1] * velocity;
    const double slope = (clean - first_clean) * h / (level(1) - level(0));
    const double expected = sigmas[2] / sigmas[1] * middle - (1 - sigmas[2]) * decay * clean +
                            (1 - sigmas[2]) * (decay / h + 1) * slope;
    const at::Tensor field = at::full({1}, velocity, at::kFloat);
    const at::Tensor half = sampler->step(field, at::full({1}, start, at::kFloat), 0);
    EXPECT_NEAR(sampler->step(field, half, 1).item<double>(), expected, 1e-5);
}

} // namespace
} // namespace reelmesh
