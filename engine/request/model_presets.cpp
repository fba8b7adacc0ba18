#include "request/model_presets.h"

#include "base/check.h"

#include <algorithm>

namespace reelmesh {
namespace {

constexpr const char* kFlux = "flux.1-dev";

struct WanRow {
    std::string_view name;
    std::int64_t heads, ffn, layers, channels;
    bool two_experts;
};

constexpr WanRow kWanRows[] = {
    {"wan2.1-t2v-1.3b", 12, 8960, 30, 16, false},
    {"wan2.1-t2v-14b", 40, 13824, 40, 16, false},
    {"wan2.2-t2v-a14b", 40, 13824, 40, 16, true},
    {"wan2.2-ti2v-5b", 24, 14336, 30, 48, false},
};

T5Config umt5_xxl() {
    T5Config config;
    config.vocab_size = 256384;
    config.d_model = 4096;
    config.d_ff = 10240;
    config.num_layers = 24;
    config.num_heads = 64;
    return config;
}

/// The decoder of Wan 2.2: 16 pixels a latent, residual.
WanVaeConfig vae_22() {
    WanVaeConfig config;
    config.base_dim = 160;
    config.decoder_base_dim = 256;
    config.z_dim = 48;
    config.is_residual = true;
    config.in_channels = config.out_channels = 12;
    config.patch_size = 2;
    config.scale_factor_spatial = 16;
    return config;
}

ModelCard wan_card(const WanRow& row) {
    constexpr std::int64_t kChannels22 = 48;
    ModelCard card;
    card.pipeline = "WanPipeline";
    card.transformer.num_attention_heads = row.heads;
    card.transformer.ffn_dim = row.ffn;
    card.transformer.num_layers = row.layers;
    card.transformer.in_channels = card.transformer.out_channels = row.channels;
    if (row.channels == kChannels22) card.vae = vae_22();
    // Values of the latents' statistics change no plan.
    card.vae.latents_mean.assign(static_cast<std::size_t>(card.vae.z_dim), 0);
    card.vae.latents_std.assign(static_cast<std::size_t>(card.vae.z_dim), 1);
    card.text_encoder = umt5_xxl();
    for (const auto& [component, class_name] :
         {std::pair("text_encoder", "UMT5EncoderModel"), std::pair("transformer", "WanTransformer3DModel"),
          std::pair("vae", "AutoencoderKLWan")})
        card.components.push_back({component, class_name, "", ""});
    if (row.two_experts) {
        card.transformer_2 = card.transformer;
        card.boundary_ratio = 0.875;
    }
    return card;
}

FamilyRules flux_rules() {
    FamilyRules rules;
    rules.family = "flux";
    rules.preset = kFlux;
    rules.frame_stride = 1;
    rules.maximum_frames = 1;
    rules.guidance_branches = 1;
    rules.heads = 24;
    rules.ffn_dim = 12288;
    rules.layers = 57;
    rules.token_rows = rules.token_columns = 16;
    rules.sizes = {{"square", 1024, 1024}};
    JobRequest& job = rules.defaults;
    job.negative_prompt = "";
    job.width = job.height = 1024;
    job.frames = 1;
    job.fps = FrameRate{16, 1};
    job.steps = 28;
    job.guidance = 3.5;
    job.shift = 3.0;
    job.sampler = "euler";
    return rules;
}

} // namespace

std::vector<std::string> model_preset_names() {
    std::vector<std::string> names;
    for (const WanRow& row : kWanRows)
        names.emplace_back(row.name);
    names.emplace_back(kFlux);
    return names;
}

ModelPreset model_preset(const std::string& name) {
    if (name == kFlux) return {name, flux_rules(), std::nullopt};
    const auto row = std::find_if(std::begin(kWanRows), std::end(kWanRows),
                                  [&](const WanRow& candidate) { return candidate.name == name; });
    if (row == std::end(kWanRows))
        fail(ErrorCode::BadField, {{"field", std::string("family")},
                                   {"found", "\"" + name + "\""},
                                   {"needed", std::string("a known model")},
                                   {"nearest", model_preset_names()}});
    const ModelCard card = wan_card(*row);
    return {name, family_rules(card), card};
}

} // namespace reelmesh
