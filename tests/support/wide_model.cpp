#include "support/wide_model.h"

#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/family.h"
#include "request/model_card.h"
#include "weights/tensor_io.h"

namespace reelmesh::testing {
namespace {

namespace fs = std::filesystem;

at::Tensor random_weight(const WeightSpec& spec, const at::Generator& random) {
    if (spec.name.ends_with(".bias")) return at::randn(spec.shape, random) * 0.02;
    if (spec.name.find("norm") != std::string::npos) return 1 + at::randn(spec.shape, random) * 0.02;
    const double columns =
        static_cast<double>(c10::multiply_integers(spec.shape)) / static_cast<double>(spec.shape.front());
    return at::randn(spec.shape, random) / std::sqrt(columns);
}

} // namespace

void write_wide_model(const std::string& folder, int layers) {
    fs::copy(fs::path(REELMESH_RESOURCES) / "sample-model", folder, fs::copy_options::recursive);
    const fs::path config_file = fs::path(folder) / "transformer/config.json";
    nlohmann::json config = nlohmann::json::parse(std::ifstream(config_file));
    config["num_attention_heads"] = 12;
    config["attention_head_dim"] = 128;
    config["ffn_dim"] = 8960;
    config["num_layers"] = layers;
    std::ofstream(config_file) << config.dump(2);

    const ModelCard card = read_model_card(folder);
    at::Generator random = at::detail::createCPUGenerator(/*seed=*/13);
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    for (const ComponentWeights& component : find_family(family_rules(card).family).weights(card))
        for (const WeightSpec& spec : component.specs)
            tensors.emplace_back(spec.name, random_weight(spec, random).contiguous());
    write_tensors((fs::path(folder) / "transformer/diffusion_pytorch_model.safetensors").string(), tensors);
}

} // namespace reelmesh::testing
