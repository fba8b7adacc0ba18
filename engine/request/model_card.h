// A model folder's configuration files, read and checked without touching weights: what kind of
// model it is, how large its parts are, where its files lie. Verdicts: docs/model-files.md.
// Plain values; reading is safe from any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/request.h"

namespace reelmesh {

/// transformer/config.json of a Wan diffusion transformer (WanTransformer3DModel).
struct WanTransformerConfig {
    std::array<std::int64_t, 3> patch_size{1, 2, 2}; ///< frames, rows, columns
    std::int64_t num_attention_heads = 40;
    std::int64_t attention_head_dim = 128;
    std::int64_t in_channels = 16;
    std::int64_t out_channels = 16; ///< null or 0 in the file: in_channels
    std::int64_t text_dim = 4096;
    std::int64_t freq_dim = 256;
    std::int64_t ffn_dim = 13824;
    std::int64_t num_layers = 40;
    bool cross_attn_norm = true;
    double eps = 1e-6;
    std::optional<std::int64_t> image_dim, added_kv_proj_dim, pos_embed_seq_len;
    std::int64_t rope_max_seq_len = 1024;

    std::int64_t width() const { return num_attention_heads * attention_head_dim; }
    bool operator==(const WanTransformerConfig&) const = default;
};

/// vae/config.json of AutoencoderKLWan.
struct WanVaeConfig {
    std::int64_t base_dim = 96;
    std::int64_t decoder_base_dim = 96; ///< null in the file: base_dim
    std::int64_t z_dim = 16;
    std::vector<std::int64_t> dim_mult{1, 2, 4, 4};
    std::int64_t num_res_blocks = 2;
    std::vector<bool> temporal_downsample{false, true, true};
    std::vector<double> latents_mean, latents_std; ///< z_dim values each
    bool is_residual = false;                      ///< the 2.2 variant
    std::int64_t in_channels = 3, out_channels = 3;
    std::int64_t patch_size = 1; ///< null in the file: 1
    std::int64_t scale_factor_temporal = 4;
    std::int64_t scale_factor_spatial = 8;
    bool operator==(const WanVaeConfig&) const = default;
};

/// text_encoder/config.json of UMT5EncoderModel.
struct T5Config {
    std::int64_t vocab_size = 250112;
    std::int64_t d_model = 512;
    std::int64_t d_kv = 64;
    std::int64_t d_ff = 1024;
    std::int64_t num_layers = 8;
    std::int64_t num_heads = 6;
    std::int64_t relative_attention_num_buckets = 32;
    std::int64_t relative_attention_max_distance = 128;
    double layer_norm_epsilon = 1e-6;
    bool operator==(const T5Config&) const = default;
};

/// scheduler/scheduler_config.json, as far as flow models use it.
struct SchedulerConfig {
    std::string class_name = "UniPCMultistepScheduler";
    std::int64_t num_train_timesteps = 1000;
    std::int64_t solver_order = 2;
    std::string solver_type = "bh2";
    double flow_shift = 1.0; ///< key flow_shift, or shift in Euler's file
    bool lower_order_final = true;
    std::vector<std::int64_t> disable_corrector;
    std::string final_sigmas_type = "zero";
    bool use_dynamic_shifting = false;
    std::optional<double> shift_terminal;
    bool operator==(const SchedulerConfig&) const = default;
};

/// One part of a model: its folder (absolute) and class.
struct ComponentCard {
    std::string name;       ///< "transformer"
    std::string class_name; ///< "WanTransformer3DModel"
    std::string folder;
    std::string weights_stem; ///< "diffusion_pytorch_model" or "model"
};

struct ModelCard {
    std::string folder;   ///< absolute
    std::string pipeline; ///< _class_name of model_index.json
    WanTransformerConfig transformer;
    std::optional<WanTransformerConfig> transformer_2; ///< low-noise expert
    WanVaeConfig vae;
    T5Config text_encoder;
    SchedulerConfig scheduler;
    std::optional<double> boundary_ratio;
    bool expand_timesteps = false;
    std::vector<ComponentCard> components; ///< those with weights, in loading order
    std::string tokenizer_folder;

    const ComponentCard& component(const std::string& name) const; ///< Internal error if absent
};

/// Reads model_index.json and every config it names. Throws NotAModel, FileMissing, ConfigSyntax,
/// BadConfig, UnsupportedModel, ModelMismatch (channels or text widths that differ), UnsafeName, BadLink.
ModelCard read_model_card(const std::string& folder);

/// Side multiples, frame rule, default row: what a request for this model is held against.
FamilyRules family_rules(const ModelCard& card);

} // namespace reelmesh
