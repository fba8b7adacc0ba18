// What every sampler of the registry must do, whatever its equations.
#include "sampling/sampler.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "base/check.h"
#include "sampling/noise.h"

// The run time is LibTorch's own; its headers come with the compiler, which is not told -fopenmp.
extern "C" void omp_set_num_threads(int);
extern "C" int omp_get_max_threads();

namespace reelmesh {
namespace {

class SamplerContractTest : public ::testing::TestWithParam<std::string_view> {
protected:
    std::unique_ptr<Sampler> make(double shift, int steps) const {
        return make_sampler(GetParam(), {}, shift, steps);
    }

    /// A velocity field with structure: clean samples of deviation kDeviation around 0, mixed with noise of
    /// deviation 1. The exact path keeps x / sqrt(variance) constant.
    static constexpr double kDeviation = 2;
    static double variance(double sigma) {
        return (1 - sigma) * (1 - sigma) * kDeviation * kDeviation + sigma * sigma;
    }
    static at::Tensor velocity(const at::Tensor& sample, double sigma) {
        return sample * ((sigma - (1 - sigma) * kDeviation * kDeviation) / variance(sigma));
    }

    static at::Tensor walk(Sampler& sampler, at::Tensor sample) {
        const Schedule& schedule = sampler.schedule();
        for (int i = 0; i < std::ssize(schedule.timesteps); ++i)
            sample = sampler.step(velocity(sample, schedule.sigmas[static_cast<std::size_t>(i)]), sample, i);
        return sample;
    }

    double error(int steps) const {
        const auto sampler = make(1, steps);
        const double start = std::sqrt(variance(sampler->schedule().sigmas.front()));
        return std::abs(walk(*sampler, at::full({1}, start, at::kFloat)).item<double>() - kDeviation);
    }
};

TEST_P(SamplerContractTest, ConvergesWithItsOrder) {
    const std::map<std::string_view, double> orders{{"euler", 1}, {"unipc", 2}, {"dpmpp_2m", 2}};
    const double order = orders.at(GetParam());
    const double coarse = error(40), fine = error(160);
    EXPECT_GT(fine, 1e-5) << "rounding hides the order";
    // The ends, where log-SNR is infinite, bend a second-order solver's figure by a quarter at these step
    // counts.
    EXPECT_NEAR(std::log(coarse / fine) / std::log(4.0), order, 0.3);
}

TEST_P(SamplerContractTest, ScheduleFallsFromNoiseToZero) {
    for (const int steps : {1, 2, 7, 50, 1000}) {
        const Schedule schedule = make(5, steps)->schedule();
        ASSERT_EQ(std::ssize(schedule.timesteps), steps);
        ASSERT_EQ(std::ssize(schedule.sigmas), steps + 1);
        EXPECT_GT(schedule.sigmas.front(), 0.99F);
        EXPECT_LE(schedule.sigmas.front(), 1.0F);
        EXPECT_EQ(schedule.sigmas.back(), 0.0F);
        for (int i = 0; i < steps; ++i) {
            EXPECT_GT(schedule.sigmas[i], schedule.sigmas[i + 1]) << i;
            EXPECT_LT(std::abs(schedule.timesteps[i] - 1000.0 * schedule.sigmas[i]), 1.0) << i;
        }
    }
}

TEST_P(SamplerContractTest, LastStepLandsOnTheCleanEstimate) {
    for (const int steps : {1, 2, 3, 8}) {
        const auto sampler = make(3, steps);
        at::Tensor sample = noise(1, NoisePurpose::Initial, 0, {2, 3, 4}), before, last_velocity;
        for (int i = 0; i < steps; ++i) {
            before = sample;
            last_velocity = noise(2, NoisePurpose::Solver, static_cast<std::uint32_t>(i), {2, 3, 4});
            sample = sampler->step(last_velocity, before, i);
        }
        const float level = sampler->schedule().sigmas[static_cast<std::size_t>(steps - 1)];
        EXPECT_LE((sample - clean_estimate(last_velocity, before, level)).abs().max().item<double>(), 1e-6)
            << steps;
    }
}

TEST_P(SamplerContractTest, RepeatsItself) {
    const auto run = [&](std::uint64_t seed) {
        return walk(*make(3, 9), noise(seed, NoisePurpose::Initial, 0, {4, 3, 8, 8}));
    };
    const at::Tensor first = run(1), other = run(2), again = run(1);
    EXPECT_TRUE(at::equal(first, again));
    EXPECT_FALSE(at::equal(first, other));
}

TEST_P(SamplerContractTest, StepsLeaveTheirInputsAndEarlierResultsAlone) {
    const auto sampler = make(3, 4);
    at::Tensor sample = noise(1, NoisePurpose::Initial, 0, {2, 9});
    std::vector<std::pair<at::Tensor, at::Tensor>> kept;
    for (int i = 0; i < 4; ++i) {
        const at::Tensor field = noise(2, NoisePurpose::Solver, static_cast<std::uint32_t>(i), {2, 9});
        kept.emplace_back(field, field.clone());
        kept.emplace_back(sample, sample.clone());
        sample = sampler->step(field, sample, i);
        EXPECT_EQ(sample.scalar_type(), at::kFloat);
        for (const auto& [tensor, copy] : kept) {
            EXPECT_FALSE(sample.is_alias_of(tensor)) << i;
            EXPECT_TRUE(at::equal(tensor, copy)) << i;
        }
    }
}

TEST_P(SamplerContractTest, KeepsNoHoldOnWhatItWasGiven) {
    // Buffers are reused by a loop: what a caller writes into them later must not reach the history.
    const auto clean = make(3, 4), dirty = make(3, 4);
    at::Tensor expected = noise(1, NoisePurpose::Initial, 0, {2, 9}), actual = expected.clone();
    for (int i = 0; i < 4; ++i) {
        const at::Tensor given = actual, field = velocity(actual, 0.7);
        expected = clean->step(velocity(expected, 0.7), expected, i);
        actual = dirty->step(field, given, i);
        given.fill_(1e9);
        field.fill_(-1e9);
    }
    EXPECT_TRUE(at::equal(actual, expected));
}

TEST_P(SamplerContractTest, BitsDependNeitherOnThreadsNorOnTheCut) {
    const at::Tensor start = noise(5, NoisePurpose::Initial, 0, {150'001});
    const int threads = omp_get_max_threads();
    omp_set_num_threads(1);
    const at::Tensor one = walk(*make(3, 5), start);
    omp_set_num_threads(2);
    const at::Tensor two = walk(*make(3, 5), start);
    omp_set_num_threads(threads);
    EXPECT_TRUE(at::equal(one, two));
    // As two ranks do it, each with its own tokens and its own sampler.
    const at::Tensor parts = at::cat(
        {walk(*make(3, 5), start.narrow(0, 0, 70'003)), walk(*make(3, 5), start.narrow(0, 70'003, 79'998))});
    EXPECT_TRUE(at::equal(one, parts));
}

TEST_P(SamplerContractTest, RefusesStepsOutOfOrder) {
    const auto sampler = make(3, 2);
    const at::Tensor sample = at::full({2}, 0.5, at::kFloat);
    EXPECT_THROW(sampler->step(sample, sample, 1), EngineException);
    sampler->step(sample, sample, 0);
    EXPECT_THROW(sampler->step(sample, sample, 0), EngineException);
    sampler->step(sample, sample, 1);
    EXPECT_THROW(sampler->step(sample, sample, 2), EngineException);
    EXPECT_THROW(make(3, 2)->step(sample.to(at::kDouble), sample, 0), EngineException);
}

INSTANTIATE_TEST_SUITE_P(All, SamplerContractTest, ::testing::ValuesIn(sampler_names()),
                         [](const auto& info) { return std::string(info.param); });

TEST(SamplerRegistryTest, FirstIsTheDefaultAndUnknownNamesAreRefused) {
    EXPECT_EQ(sampler_names(), (std::vector<std::string_view>{"unipc", "dpmpp_2m", "euler"}));
    EXPECT_THROW(make_sampler("ddim", {}, 3, 4), EngineException);
}

} // namespace
} // namespace reelmesh
