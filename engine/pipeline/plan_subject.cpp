#include "pipeline/plan_subject.h"

#include "base/check.h"
#include "pipeline/loaded_model.h"
#include "pipeline/prompt_stage.h"
#include "request/mesh_rules.h"
#include "vae/video_vae.h"

namespace reelmesh {
namespace {

/// Elements of the widest intermediates of the text encoder, several of which live at once.
std::uint64_t text_bytes(const T5Config& config, std::int64_t tokens) {
    const std::int64_t width = 4 * config.d_model + 3 * config.num_heads * config.d_kv + 3 * config.d_ff;
    const std::int64_t scores = 3 * config.num_heads * tokens;
    return static_cast<std::uint64_t>(tokens * (width + scores)) * sizeof(float);
}

double text_flop(const T5Config& config, std::int64_t tokens) {
    const std::int64_t heads = config.num_heads * config.d_kv;
    const double layer = 4.0 * static_cast<double>(config.d_model * heads) +
                         3.0 * static_cast<double>(config.d_model * config.d_ff) +
                         2.0 * static_cast<double>(tokens * heads);
    return 2 * layer * static_cast<double>(config.num_layers * tokens);
}

void add_common(PlanSubject& subject, const FamilyRules& rules, const JobRequest& request) {
    subject.rules = rules;
    subject.request = request;
    subject.element_bytes = static_cast<int>(c10::elementSize(subject.dtype));
}

// FLUX.1: 19 blocks of two streams, 38 of one; text rows take part in attention, the guidance is an input.
// The picture's decoder is convolutional with 8 pixels a latent.
constexpr std::int64_t kDoubleBlocks = 19, kSingleBlocks = 38, kFluxChannels = 16, kFluxPixelsPerLatent = 8;
constexpr std::uint64_t kFluxBlockParameters = 11'700'000'000, kFluxOtherParameters = 200'000'000,
                        kT5Parameters = 4'760'000'000, kClipParameters = 123'000'000,
                        kFluxVaeParameters = 84'000'000;
constexpr double kFluxDecodeFlopPerPixel = 2.4e6;

PlanSubject flux_subject(const ModelPreset& preset, const JobRequest& request) {
    PlanSubject subject;
    subject.dtype = request.dtype == "fp32"   ? at::kFloat
                    : request.dtype == "fp16" ? at::kHalf
                                              : at::kBFloat16;
    add_common(subject, preset.rules, request);
    const FamilyRules& rules = preset.rules;
    constexpr std::int64_t kHeadDim = 128;
    subject.shape = {rules.heads * kHeadDim, rules.heads, kHeadDim, rules.ffn_dim, rules.layers};
    subject.shape.joint_text_tokens = rules.text_tokens;
    subject.shape.tensor_reduces_per_forward = 2 * kDoubleBlocks + kSingleBlocks;
    subject.image_tokens = mesh_limits(request, rules).tokens;
    subject.token_features = kFluxChannels * 4;
    subject.latent_frames = 1;
    subject.latent_height = *request.height / kFluxPixelsPerLatent;
    subject.latent_width = *request.width / kFluxPixelsPerLatent;
    const auto bytes = static_cast<std::uint64_t>(subject.element_bytes);
    subject.block_weight_bytes = kFluxBlockParameters * bytes;
    subject.other_weight_bytes =
        (kFluxOtherParameters + kT5Parameters + kClipParameters + kFluxVaeParameters) * bytes;
    T5Config text;
    text.d_model = 4096;
    text.d_ff = 10240;
    text.num_layers = 24;
    text.num_heads = 64;
    subject.text_flop = text_flop(text, rules.text_tokens);
    subject.text_activation_bytes = text_bytes(text, rules.text_tokens);
    subject.decode_flop = kFluxDecodeFlopPerPixel * static_cast<double>(*request.width * *request.height);
    return subject;
}

} // namespace

PlanSubject plan_subject(const ModelCard& card, const FamilyRules& rules, const JobRequest& request,
                         const HardwareSnapshot& hardware) {
    const FamilyDescription description = find_family(rules.family).describe(card, request);
    PlanSubject subject;
    subject.dtype = resolve_dtype(request, card, hardware);
    add_common(subject, rules, request);
    subject.shape = description.shape;
    subject.branches = guidance_branches(request, description);
    subject.experts = static_cast<int>(description.experts.size());
    for (const LatentStream& stream : description.streams)
        subject.image_tokens += stream.tokens();
    const LatentStream& video = description.streams.front();
    subject.token_features = video.token_width();
    subject.latent_frames = video.shape[1];
    subject.latent_height = video.shape[2];
    subject.latent_width = video.shape[3];
    subject.vae = card.vae;
    const WeightBytes weights = weight_bytes(card, subject.dtype);
    subject.block_weight_bytes = weights.blocks;
    subject.other_weight_bytes = weights.others;
    subject.context_bytes = description.cost.context_bytes;
    subject.text_activation_bytes = text_bytes(card.text_encoder, rules.text_tokens);
    subject.text_flop = text_flop(card.text_encoder, rules.text_tokens);
    subject.decode_flop = 2 * vae_decode_multiply_adds(card, video.shape[1], video.shape[2], video.shape[3]);
    return subject;
}

PlanSubject plan_subject(const ModelPreset& preset, const JobRequest& request,
                         const HardwareSnapshot& hardware) {
    if (!preset.card) return flux_subject(preset, request);
    return plan_subject(*preset.card, preset.rules, request, hardware);
}

} // namespace reelmesh
