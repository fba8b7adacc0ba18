// Every end-to-end case of the reference, through the whole engine.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "support/engine_fixture.h"
#include "support/golden.h"

namespace reelmesh::testing {
namespace {

using Json = nlohmann::json;

constexpr double kLatentsBound = 5e-5; ///< relative L2, every step and the result
constexpr double kStageBound = 1e-5;   ///< relative L2, one stage on the reference's input
constexpr double kFramesBound = 2.0 / 255;

double largest_difference(const at::Tensor& actual, const at::Tensor& expected) {
    return (actual - expected).abs().max().item<double>();
}

std::vector<std::string> case_names() {
    std::vector<std::string> names;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(REELMESH_TEST_DATA) + "/goldens/cases"))
        names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
}

std::string sampler_of(const std::string& scheduler) {
    if (scheduler == "UniPCMultistepScheduler") return "unipc";
    if (scheduler == "FlowMatchEulerDiscreteScheduler") return "euler";
    if (scheduler == "DPMSolverMultistepScheduler") return "dpmpp_2m";
    ADD_FAILURE() << scheduler;
    return {};
}

class ReferenceTest : public EngineFixture, public ::testing::WithParamInterface<std::string> {
protected:
    Json case_json() const {
        std::ifstream file(golden("cases/" + GetParam() + "/case.json"));
        std::string text{std::istreambuf_iterator<char>(file), {}};
        // Python writes infinities that JSON does not know; no field used here holds one.
        for (std::size_t at; (at = text.find("-Infinity")) != std::string::npos;)
            text.replace(at, 9, "null");
        return Json::parse(text);
    }

    JobRequest request_of(const Json& parameters) const {
        JobRequest request;
        request.model = golden(parameters["model"].get<std::string>());
        request.prompt = parameters["prompt"];
        if (!parameters["negative_prompt"].is_null()) request.negative_prompt = parameters["negative_prompt"];
        request.width = parameters["effective_width"];
        request.height = parameters["effective_height"];
        request.frames = parameters["effective_num_frames"];
        request.steps = parameters["num_inference_steps"];
        request.guidance = parameters["guidance_scale"];
        if (!parameters["guidance_scale_2"].is_null()) request.guidance2 = parameters["guidance_scale_2"];
        request.shift = parameters["shift"];
        request.sampler = sampler_of(parameters["scheduler"]);
        request.dtype = parameters["dtype"] == "bfloat16" ? "bf16" : "fp32";
        return request;
    }

    at::Tensor expected(const std::string& file, const std::string& key) const {
        return read_golden("cases/" + GetParam() + "/" + file, key);
    }
    at::Tensor actual(const std::string& file, const std::string& key) const {
        return read_stored(path(file + ".safetensors"), key);
    }

    RunOptions options_of() const {
        RunOptions options = no_output();
        options.initial_latents = golden("cases/" + GetParam() + "/noise.safetensors");
        options.save_latents = path("latents.safetensors");
        options.save_steps = path("step_latents.safetensors");
        options.save_frames = path("frames.safetensors");
        options.save_embeds = path("prompt_embeds.safetensors");
        return options;
    }
};

TEST_P(ReferenceTest, EndToEnd) {
    const Json parameters = case_json();
    const JobOutcome outcome = run(request_of(parameters), options_of());
    ASSERT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);

    if (parameters["dtype"] != "float32") {
        // The same program in float32 is the measure: at most 1.5 times the reference's own loss of
        // precision.
        const Json& loss = parameters["rel_l2_to_float32"];
        const at::Tensor twin = read_golden("cases/t2v-unipc/latents", "latents");
        const double measured = relative_l2(actual("latents", "latents"), twin);
        EXPECT_LE(measured, 1.5 * loss["step_latents"].back().get<double>());
        std::printf("%s: latents lose %.3g to bf16\n", GetParam().c_str(), measured);
        return;
    }
    const int steps = parameters["num_inference_steps"];
    double worst = 0;
    for (int step = 0; step < steps; ++step) {
        char key[16];
        std::snprintf(key, sizeof(key), "step_%02d", step);
        const double difference = relative_l2(actual("step_latents", key), expected("step_latents", key));
        worst = std::max(worst, difference);
        EXPECT_LE(difference, kLatentsBound) << key;
    }
    EXPECT_LE(largest_difference(actual("step_latents", "timesteps"), expected("step_latents", "timesteps")),
              1e-4);
    EXPECT_LE(relative_l2(actual("latents", "latents"), expected("latents", "latents")), kLatentsBound);
    EXPECT_LE(
        relative_l2(actual("prompt_embeds", "prompt_embeds"), expected("prompt_embeds", "prompt_embeds")),
        kStageBound);
    if (parameters["guidance_scale"].get<double>() > 1) {
        EXPECT_LE(relative_l2(actual("prompt_embeds", "negative_prompt_embeds"),
                              expected("negative_prompt_embeds", "negative_prompt_embeds")),
                  kStageBound);
    }
    const double frames = largest_difference(actual("frames", "frames"), expected("frames", "frames"));
    EXPECT_LE(frames, kFramesBound);
    std::printf("%s: latents %.2g, frames %.2g\n", GetParam().c_str(), worst, frames);
}

TEST_P(ReferenceTest, GuidanceParallelIsBitEqualToOneRank) {
    const Json parameters = case_json();
    if (parameters["guidance_scale"].get<double>() <= 1) return; // one branch, nothing to share
    JobRequest request = request_of(parameters);
    RunOptions options = options_of();
    options.threads = 2;
    ASSERT_EQ(run(request, options).state, JobState::Done);
    request.mesh = "cfg2";
    options.save_latents = path("cfg2_latents.safetensors");
    options.save_frames = path("cfg2_frames.safetensors");
    options.save_embeds = path("cfg2_embeds.safetensors");
    const JobOutcome outcome = run(request, options);
    ASSERT_EQ(outcome.state, JobState::Done) << error_message(outcome.last().error);
    EXPECT_EQ(outcome.last().report.mesh, "cfg2");
    EXPECT_TRUE(actual("cfg2_embeds", "prompt_embeds").equal(actual("prompt_embeds", "prompt_embeds")));
    EXPECT_TRUE(actual("cfg2_latents", "latents").equal(actual("latents", "latents")));
    // Two ranks decode, a band each: rounded elsewhere.
    EXPECT_LE((actual("cfg2_frames", "frames") - actual("frames", "frames")).abs().max().item<double>(),
              1e-5);
    const at::Tensor latents = actual("latents", "latents");
    EXPECT_EQ(outcome.last().report.bytes_by_axis.at("cfg"),
              static_cast<std::uint64_t>(latents.numel()) * 4 * 2 *
                  parameters["num_inference_steps"].get<int>());
}

INSTANTIATE_TEST_SUITE_P(Cases, ReferenceTest, ::testing::ValuesIn(case_names()), [](const auto& info) {
    std::string name = info.param;
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
});

} // namespace
} // namespace reelmesh::testing
