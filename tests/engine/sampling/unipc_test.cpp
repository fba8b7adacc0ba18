#include "sampling/unipc.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>
#include <ATen/ops/full.h>
#include <ATen/ops/isfinite.h>
#include <gtest/gtest.h>

#include "base/check.h"
#include "sampling/schedule.h"

namespace reelmesh {
namespace {

/// Walks a constant clean sample of 0.25: the velocity that leads there from any sample.
at::Tensor walk_to_quarter(const SchedulerConfig& config) {
    UniPcSampler sampler(config, flow_schedule(config, 3, 8));
    at::Tensor sample = at::full({5}, 1.5, at::kFloat);
    for (int i = 0; i < 8; ++i) {
        const at::Tensor velocity = (sample - 0.25) / sampler.schedule().sigmas[static_cast<std::size_t>(i)];
        sample = sampler.step(velocity, sample, i);
        EXPECT_TRUE(at::isfinite(sample).all().item<bool>()) << i;
    }
    return sample;
}

TEST(UniPcTest, EveryVariantEndsOnTheCleanSample) {
    for (const std::int64_t order : {1, 2, 3})
        for (const char* type : {"bh1", "bh2"})
            for (const bool lower : {true, false}) {
                SCOPED_TRACE(std::string(type) + " order " + std::to_string(order) + (lower ? " lower" : ""));
                SchedulerConfig config{
                    .solver_order = order, .solver_type = type, .lower_order_final = lower};
                EXPECT_LE((walk_to_quarter(config) - 0.25).abs().max().item<double>(), 2e-6);
            }
}

TEST(UniPcTest, SigmaMinRepeatsTheLastLevelAndStaysThere) {
    for (const bool lower : {true, false}) {
        SchedulerConfig config{
            .solver_order = 3, .lower_order_final = lower, .final_sigmas_type = "sigma_min"};
        const Schedule schedule = flow_schedule(config, 3, 8);
        const float level = schedule.sigmas.back();
        EXPECT_EQ(level, schedule.sigmas[7]);
        // On the line from noise to 0.25 that began at 1.5 with sigma 1.
        EXPECT_NEAR(walk_to_quarter(config)[0].item<double>(), 0.25 + 1.25 * level, 1e-5);
    }
}

TEST(UniPcTest, DisabledCorrectorChangesOnlyLaterSteps) {
    UniPcSampler plain({}, flow_schedule({}, 3, 4)),
        disabled({.disable_corrector = {0}}, flow_schedule({}, 3, 4));
    const at::Tensor sample = at::full({3}, 1.5, at::kFloat);
    const at::Tensor first = plain.step(sample, sample, 0);
    EXPECT_TRUE(at::equal(first, disabled.step(sample, sample, 0)));
    EXPECT_FALSE(at::equal(plain.step(first * 0.3, first, 1), disabled.step(first * 0.3, first, 1)));
}

TEST(UniPcTest, RefusesOrdersItDoesNotHave) {
    for (const std::int64_t order : {0, 4}) {
        const auto made = catch_errors([&] { return make_sampler("unipc", {.solver_order = order}, 3, 4); });
        ASSERT_FALSE(made);
        EXPECT_EQ(made.error().code, ErrorCode::BadConfig);
        EXPECT_EQ(made.error().text("found"), std::to_string(order));
    }
}

} // namespace
} // namespace reelmesh
