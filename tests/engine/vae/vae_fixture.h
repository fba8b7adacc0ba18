// Video autoencoders under test: read from a folder, or made by rule.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/golden.h"
#include "vae/video_vae.h"

namespace reelmesh::testing {

inline std::unique_ptr<VideoVae> vae_of_model(const std::string& folder) {
    const ModelCard card = read_model_card(folder);
    const ComponentCard& vae = card.component("vae");
    return load_vae(card, load_component(vae.folder, vae.weights_stem, vae_weights(card), at::kFloat));
}

inline std::unique_ptr<VideoVae> golden_vae(const std::string& model) {
    return vae_of_model(golden_path("models/" + model));
}

inline std::unique_ptr<VideoVae> sample_vae() {
    return vae_of_model(REELMESH_RESOURCES "/sample-model");
}

inline ModelCard card_of(WanVaeConfig config) {
    config.latents_mean.assign(static_cast<std::size_t>(config.z_dim), 0.0);
    config.latents_std.assign(static_cast<std::size_t>(config.z_dim), 1.0);
    ModelCard card;
    card.vae = std::move(config);
    card.components = {{"vae", "AutoencoderKLWan", "", "diffusion_pytorch_model"}};
    return card;
}

/// V21 of the self-test values.
inline WanVaeConfig small_config() {
    WanVaeConfig config;
    config.base_dim = config.decoder_base_dim = 8;
    config.z_dim = 4;
    return config;
}

/// V22 of the self-test values.
inline WanVaeConfig small_residual_config() {
    WanVaeConfig config = small_config();
    config.decoder_base_dim = 12;
    config.is_residual = true;
    config.in_channels = config.out_channels = 12;
    config.patch_size = 2;
    config.scale_factor_spatial = 16;
    return config;
}

inline std::unique_ptr<VideoVae> rule_made_vae(const WanVaeConfig& config) {
    const ModelCard card = card_of(config);
    return load_vae(card, filled_weights(vae_weights(card)));
}

/// Latents of one clip decoded chunk by chunk.
inline at::Tensor decode_in_chunks(const VideoVae& vae, const at::Tensor& latents,
                                   const std::vector<std::int64_t>& chunks) {
    const auto run = vae.start_decode();
    std::vector<at::Tensor> videos;
    std::int64_t done = 0;
    for (const std::int64_t chunk : chunks) {
        videos.push_back(run->decode(latents.narrow(1, done, chunk)));
        done += chunk;
    }
    return at::cat(videos, 1);
}

inline at::Tensor decode_whole(const VideoVae& vae, const at::Tensor& latents) {
    return vae.start_decode()->decode(latents);
}

} // namespace reelmesh::testing
