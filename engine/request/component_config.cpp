#include "request/component_config.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "request/config_reader.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>

namespace reelmesh {
namespace {

using nlohmann::json;
using Names = std::vector<std::string>;

constexpr IntegerRange kLayers{1, 256}, kHeads{1, 256}, kHeadSize{2, 1024, 2}, kWidth{1, 65536},
    kPatchSide{1, 16};
constexpr IntegerRange kVocabulary{1, 1 << 20};
constexpr NumberRange kPositive{.from = 0.0, .kind = NumberRange::From::Excluded};
constexpr LengthRange kLevels{0, 8};

/// Text that must be one of few, where it stands at all.
std::string known_text(const ConfigReader& reader, const char* key, const Names& known) {
    const std::string value = reader.text(key, known.front().c_str());
    if (std::find(known.begin(), known.end(), value) == known.end())
        refuse_model(reader.file(), std::string(key) + " " + excerpt(value), known);
    return value;
}

} // namespace

WanTransformerConfig transformer_config(const json& config, const std::string& file) {
    const ConfigReader reader(config, file);
    known_text(reader, "_class_name", {"WanTransformer3DModel"});
    WanTransformerConfig read;
    const auto patch = reader.integers("patch_size", {1, 2, 2}, {3, 3}, kPatchSide);
    std::copy(patch.begin(), patch.end(), read.patch_size.begin());
    read.num_attention_heads = reader.integer("num_attention_heads", read.num_attention_heads, kHeads);
    read.attention_head_dim = reader.integer("attention_head_dim", read.attention_head_dim, kHeadSize);
    if (read.width() > kWidth.to)
        reader.refuse("attention_head_dim",
                      "at most " + std::to_string(kWidth.to / read.num_attention_heads) + " with " +
                          std::to_string(read.num_attention_heads) + " heads");
    read.in_channels = reader.integer("in_channels", read.in_channels, kWidth);
    read.out_channels =
        reader.integer("out_channels", config.contains("out_channels") ? 0 : read.out_channels,
                       {0, kWidth.to}, ConfigReader::Null::IsDefault);
    if (read.out_channels == 0) read.out_channels = read.in_channels;
    read.text_dim = reader.integer("text_dim", read.text_dim, kWidth);
    read.freq_dim = reader.integer("freq_dim", read.freq_dim, {2, kWidth.to, 2});
    read.ffn_dim = reader.integer("ffn_dim", read.ffn_dim, kWidth);
    read.num_layers = reader.integer("num_layers", read.num_layers, kLayers);
    read.cross_attn_norm = reader.boolean("cross_attn_norm", read.cross_attn_norm);
    read.eps = reader.number("eps", read.eps, kPositive);
    read.image_dim = reader.optional_integer("image_dim", kWidth);
    read.added_kv_proj_dim = reader.optional_integer("added_kv_proj_dim", kWidth);
    read.pos_embed_seq_len = reader.optional_integer("pos_embed_seq_len", kWidth);
    read.rope_max_seq_len = reader.integer("rope_max_seq_len", read.rope_max_seq_len, kWidth);
    constexpr std::int64_t kImageInputChannels = 36;
    if (read.image_dim || read.added_kv_proj_dim || read.in_channels == kImageInputChannels)
        refuse_model(file, "image conditioning", {"WanTransformer3DModel for text to video"});
    return read;
}

WanVaeConfig vae_config(const json& config, const std::string& file) {
    const ConfigReader reader(config, file);
    known_text(reader, "_class_name", {"AutoencoderKLWan"});
    WanVaeConfig read;
    read.base_dim = reader.integer("base_dim", read.base_dim, kWidth);
    read.decoder_base_dim =
        reader.integer("decoder_base_dim", read.base_dim, kWidth, ConfigReader::Null::IsDefault);
    read.z_dim = reader.integer("z_dim", read.z_dim, kWidth);
    read.temporal_downsample = reader.booleans("temperal_downsample", read.temporal_downsample, kLevels);
    read.dim_mult = reader.integers("dim_mult", read.dim_mult, {1, kLevels.to + 1}, {1, 64});
    read.num_res_blocks = reader.integer("num_res_blocks", read.num_res_blocks, kLayers);
    constexpr std::size_t kMaxChannels = 65536;
    read.latents_mean = reader.numbers("latents_mean",
                                       {-0.7571, -0.7089, -0.9113, 0.1075, -0.1745, 0.9653, -0.1517, 1.5508,
                                        0.4134, -0.0715, 0.5517, -0.3632, -0.1922, -0.9497, 0.2503, -0.2921},
                                       {0, kMaxChannels}, {});
    read.latents_std = reader.numbers("latents_std",
                                      {2.8184, 1.4541, 2.3275, 2.6558, 1.2196, 1.7708, 2.6052, 2.0743, 3.2687,
                                       2.1526, 2.8652, 1.5579, 1.6382, 1.1253, 2.8251, 1.9160},
                                      {0, kMaxChannels}, kPositive);
    read.is_residual = reader.boolean("is_residual", read.is_residual);
    read.in_channels = reader.integer("in_channels", read.in_channels, kWidth);
    read.out_channels = reader.integer("out_channels", read.out_channels, kWidth);
    read.patch_size =
        reader.integer("patch_size", read.patch_size, kPatchSide, ConfigReader::Null::IsDefault);
    read.scale_factor_temporal = reader.integer("scale_factor_temporal", read.scale_factor_temporal, kWidth);
    read.scale_factor_spatial = reader.integer("scale_factor_spatial", read.scale_factor_spatial, kWidth);
    if (!reader.numbers("attn_scales", {}, {0, kMaxChannels}, {}).empty())
        refuse_model(file, "attn_scales with entries", {"AutoencoderKLWan without them"});

    const auto levels = static_cast<std::int64_t>(read.temporal_downsample.size());
    const auto halvings = std::count(read.temporal_downsample.begin(), read.temporal_downsample.end(), true);
    const std::int64_t widest = *std::max_element(read.dim_mult.begin(), read.dim_mult.end());
    if (widest * std::max(read.base_dim, read.decoder_base_dim) > kWidth.to)
        reader.refuse("dim_mult", "widths of at most " + std::to_string(kWidth.to));
    require_equal(file, "length of dim_mult", static_cast<std::int64_t>(read.dim_mult.size()), levels + 1);
    require_equal(file, "length of latents_mean", static_cast<std::int64_t>(read.latents_mean.size()),
                  read.z_dim);
    require_equal(file, "length of latents_std", static_cast<std::int64_t>(read.latents_std.size()),
                  read.z_dim);
    const std::int64_t pixel_channels = 3 * read.patch_size * read.patch_size;
    require_equal(file, "in_channels", read.in_channels, pixel_channels);
    require_equal(file, "out_channels", read.out_channels, pixel_channels);
    require_equal(file, "scale_factor_temporal", read.scale_factor_temporal, std::int64_t{1} << halvings);
    require_equal(file, "scale_factor_spatial", read.scale_factor_spatial, read.patch_size << levels);
    return read;
}

T5Config text_encoder_config(const json& config, const std::string& file) {
    const ConfigReader reader(config, file);
    known_text(reader, "model_type", {"umt5"});
    known_text(reader, "feed_forward_proj", {"gated-gelu"});
    T5Config read;
    read.vocab_size = reader.integer("vocab_size", read.vocab_size, kVocabulary);
    read.d_model = reader.integer("d_model", read.d_model, kWidth);
    read.d_kv = reader.integer("d_kv", read.d_kv, kHeadSize);
    read.d_ff = reader.integer("d_ff", read.d_ff, kWidth);
    read.num_layers = reader.integer("num_layers", read.num_layers, kLayers);
    read.num_heads = reader.integer("num_heads", read.num_heads, kHeads);
    read.relative_attention_num_buckets = reader.integer(
        "relative_attention_num_buckets", read.relative_attention_num_buckets, {4, kWidth.to, 2});
    read.relative_attention_max_distance =
        reader.integer("relative_attention_max_distance", read.relative_attention_max_distance, kWidth);
    // A quarter of the buckets count single distances; the logarithm beyond needs room.
    if (read.relative_attention_max_distance <= read.relative_attention_num_buckets / 4)
        fail(ErrorCode::ModelMismatch, {{"file", file},
                                        {"field", "relative_attention_max_distance"},
                                        {"found", read.relative_attention_max_distance},
                                        {"needed", read.relative_attention_num_buckets / 4 + 1}});
    read.layer_norm_epsilon = reader.number("layer_norm_epsilon", read.layer_norm_epsilon, kPositive);
    return read;
}

SchedulerConfig scheduler_config(const json& config, const std::string& file) {
    const ConfigReader reader(config, file);
    SchedulerConfig read;
    read.class_name = known_text(
        reader, "_class_name",
        {"UniPCMultistepScheduler", "FlowMatchEulerDiscreteScheduler", "DPMSolverMultistepScheduler"});
    known_text(reader, "prediction_type", {"flow_prediction"});
    constexpr IntegerRange kTimesteps{1, 1'000'000};
    constexpr NumberRange kShift{0.0, 1000.0, NumberRange::From::Excluded};
    read.num_train_timesteps = reader.integer("num_train_timesteps", read.num_train_timesteps, kTimesteps);
    read.solver_order = reader.integer("solver_order", read.solver_order, {1, 3});
    read.solver_type = reader.text("solver_type", read.solver_type.c_str());
    const bool is_euler = read.class_name == "FlowMatchEulerDiscreteScheduler";
    read.flow_shift = reader.number(is_euler ? "shift" : "flow_shift", read.flow_shift, kShift);
    read.lower_order_final = reader.boolean("lower_order_final", read.lower_order_final);
    read.disable_corrector = reader.integers("disable_corrector", {}, {0, 1000}, {0, kTimesteps.to});
    read.final_sigmas_type = known_text(reader, "final_sigmas_type", {"zero", "sigma_min"});
    read.use_dynamic_shifting = reader.boolean("use_dynamic_shifting", read.use_dynamic_shifting);
    read.shift_terminal = reader.optional_number("shift_terminal", {0.0, 1.0});
    return read;
}

} // namespace reelmesh
