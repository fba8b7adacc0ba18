// The reference's schedules and solver traces, and how far a result is from one.
#pragma once

#include <ATen/TensorOperators.h>
#include <nlohmann/json.hpp>

#include <fstream>
#include <iterator>
#include <string>

#include "request/model_card.h"
#include "weights/tensor_io.h"

namespace reelmesh::testing {

inline const std::string kComponents = std::string(REELMESH_TEST_DATA) + "/goldens/components/";

inline nlohmann::json read_golden_json(const std::string& name) {
    std::ifstream stream(kComponents + name);
    std::string text{std::istreambuf_iterator<char>(stream), {}};
    // Written by Python, whose infinities are no JSON.
    for (std::size_t at = 0; (at = text.find("-Infinity", at)) != std::string::npos;)
        text.replace(at, 9, "null");
    return nlohmann::json::parse(text);
}

inline at::Tensor read_trace(const std::string& key) {
    // [steps,1,C,T,H,W] for velocity and latents, [1,C,T,H,W] for x0.
    const bool start = key.ends_with(".x0");
    return read_tensor(kComponents + "scheduler_steps.safetensors", key,
                       std::vector<std::int64_t>(start ? 5 : 6, -1));
}

/// The sampler that serves the reference's class, "" where there is none.
inline std::string sampler_of_class(const std::string& class_name) {
    if (class_name == "UniPCMultistepScheduler") return "unipc";
    if (class_name == "DPMSolverMultistepScheduler") return "dpmpp_2m";
    if (class_name == "FlowMatchEulerDiscreteScheduler") return "euler";
    return "";
}

inline double relative_l2(const at::Tensor& actual, const at::Tensor& expected) {
    const at::Tensor wide = expected.to(at::kDouble);
    return ((actual.to(at::kDouble) - wide).norm() / wide.norm()).item<double>();
}

} // namespace reelmesh::testing
