#include "sampling/schedule.h"

#include <gtest/gtest.h>

#include <map>

#include "base/check.h"
#include "engine/sampling/goldens.h"

namespace reelmesh {
namespace {

SchedulerConfig config_of(const nlohmann::json& json) {
    SchedulerConfig config;
    config.num_train_timesteps = json.at("num_train_timesteps");
    config.final_sigmas_type = json.value("final_sigmas_type", "zero");
    return config;
}

/// Why this build has no such schedule; "" where it has.
std::string reason_left_out(const nlohmann::json& entry) {
    if (entry.at("scheduler") == "FlowMatchLCMScheduler") return "no LCM sampler in this build";
    const auto& arguments = entry.at("set_timesteps_arguments");
    if (arguments.contains("mu")) return "dynamic shifting is refused";
    if (arguments.contains("sigmas")) return "no job key carries noise levels";
    return "";
}

TEST(ScheduleTest, EveryGoldenEntryIsReproduced) {
    std::map<std::string, int> left_out;
    std::map<std::string, int> compared;
    const auto goldens = testing::read_golden_json("schedulers.json");
    for (const auto& entry : goldens.at("entries")) {
        if (const std::string reason = reason_left_out(entry); !reason.empty()) {
            ++left_out[reason];
            continue;
        }
        const std::string name = testing::sampler_of_class(entry.at("scheduler"));
        const auto sampler = make_sampler(name, config_of(entry.at("config")), entry.at("shift"),
                                          entry.at("num_inference_steps"));
        SCOPED_TRACE(name + " steps " + entry.at("num_inference_steps").dump() + " shift " +
                     entry.at("shift").dump());
        EXPECT_EQ(sampler->schedule().timesteps, entry.at("timesteps").get<std::vector<double>>());
        const auto sigmas = entry.at("sigmas").get<std::vector<float>>();
        ASSERT_EQ(sampler->schedule().sigmas.size(), sigmas.size());
        for (std::size_t i = 0; i < sigmas.size(); ++i)
            EXPECT_NEAR(sampler->schedule().sigmas[i], sigmas[i], 1e-6) << i;
        ++compared[name];
    }
    EXPECT_EQ(compared, (std::map<std::string, int>{{"unipc", 37}, {"dpmpp_2m", 36}, {"euler", 36}}));
    EXPECT_EQ(left_out, (std::map<std::string, int>{{"no LCM sampler in this build", 36},
                                                    {"dynamic shifting is refused", 1},
                                                    {"no job key carries noise levels", 1}}));
}

TEST(ScheduleTest, TheTwoFlowFormulasDiffer) {
    EXPECT_EQ(flow_schedule({}, 5, 4).timesteps, (std::vector<double>{999, 937, 833, 625}));
    EXPECT_EQ(earlier_flow_schedule({}, 5, 4).timesteps, (std::vector<double>{999, 937, 833, 624}));
}

TEST(ScheduleTest, ShiftTerminalIsTheLastLevelBeforeTheEnd) {
    SchedulerConfig config;
    config.shift_terminal = 0.02;
    for (const Schedule& schedule : {flow_schedule(config, 3, 8), euler_schedule(config, 3, 8)}) {
        EXPECT_NEAR(schedule.sigmas.front(), 1, 2e-6);
        EXPECT_NEAR(schedule.sigmas[7], 0.02, 1e-6);
        EXPECT_EQ(schedule.sigmas[8], 0);
    }
    // Half way between two plain levels stays half way between the stretched ones.
    const auto plain = euler_schedule({}, 3, 8).sigmas, stretched = euler_schedule(config, 3, 8).sigmas;
    EXPECT_NEAR((1 - stretched[4]) / (1 - stretched[7]), (1 - plain[4]) / (1 - plain[7]), 1e-6);
}

TEST(ScheduleTest, OneStepHasNothingToStretch) {
    SchedulerConfig config;
    config.shift_terminal = 0.02;
    EXPECT_EQ(flow_schedule(config, 3, 1).sigmas, flow_schedule({}, 3, 1).sigmas);
    EXPECT_EQ(euler_schedule(config, 3, 1).sigmas, (std::vector<float>{1, 0}));
}

template <class F>
std::string refused_field(F&& function) {
    try {
        function();
    } catch (const EngineException& exception) {
        EXPECT_EQ(exception.error().code, ErrorCode::BadConfig);
        return exception.error().text("field");
    }
    return "";
}

TEST(ScheduleTest, RefusesWhatItCannotFollow) {
    SchedulerConfig dynamic;
    dynamic.use_dynamic_shifting = true;
    for (const auto name : sampler_names())
        EXPECT_EQ(refused_field([&] { make_sampler(name, dynamic, 3, 4); }), "use_dynamic_shifting") << name;
    SchedulerConfig end;
    end.final_sigmas_type = "sigma_min";
    EXPECT_EQ(refused_field([&] { earlier_flow_schedule(end, 3, 4); }), "final_sigmas_type");
    end.final_sigmas_type = "other";
    EXPECT_EQ(refused_field([&] { flow_schedule(end, 3, 4); }), "final_sigmas_type");
}

} // namespace
} // namespace reelmesh
