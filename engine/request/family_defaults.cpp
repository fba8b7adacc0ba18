// Defaults of each family as rows, and the rules that follow from a model's sizes.
#include "request/model_card.h"

#include <algorithm>
#include <numeric>

namespace reelmesh {
namespace {

/// The original's, for models trained on real footage.
constexpr std::string_view kNegativePrompt =
    "色调艳丽，过曝，静态，细节模糊不清，字幕，风格，作品，画作，画面，静止，整体发灰，最差质量，低质量，JPEG"
    "压缩残留，"
    "丑陋的，残缺的，多余的手指，画得不好的手部，画得不好的脸部，畸形的，毁容的，形态畸形的肢体，手指融合，"
    "静止不动的画面，杂乱的背景，三条腿，背景人很多，倒着走";

const std::vector<TrainedSize> kSampleSizes{{"square", 128, 128}, {"wide", 176, 96}};
const std::vector<TrainedSize> kSizes480p{{"480p", 832, 480}, {"480p", 480, 832}, {"square", 624, 624}};
const std::vector<TrainedSize> kSizes720p{{"480p", 832, 480},  {"480p", 480, 832},   {"720p", 1280, 720},
                                          {"720p", 720, 1280}, {"square", 624, 624}, {"square", 960, 960}};
const std::vector<TrainedSize> kSizes5B{{"720p", 1280, 704}, {"720p", 704, 1280}};

struct DefaultsRow {
    std::string_view preset;
    bool (*fits)(const ModelCard&);
    std::int64_t width, height, frames;
    FrameRate fps;
    std::int64_t steps;
    double guidance, guidance2, shift, boundary;
    std::string_view negative_prompt;
    const std::vector<TrainedSize>& sizes;
};

constexpr std::int64_t kSmallWidth = 1024, kWidth1300M = 2048, kChannels5B = 48;

/// The first row that fits.
const DefaultsRow kRows[] = {
    {"sample",
     [](const ModelCard& card) { return card.transformer.width() < kSmallWidth; },
     128,
     128,
     17,
     {16, 1},
     16,
     5.0,
     5.0,
     3.0,
     0.875,
     "",
     kSampleSizes},
    {"wan2.2-ti2v-5b",
     [](const ModelCard& card) { return card.transformer.in_channels == kChannels5B; },
     1280,
     704,
     121,
     {24, 1},
     50,
     5.0,
     5.0,
     5.0,
     0.875,
     kNegativePrompt,
     kSizes5B},
    {"wan2.2-t2v-a14b",
     [](const ModelCard& card) { return card.transformer_2.has_value(); },
     1280,
     720,
     81,
     {16, 1},
     40,
     4.0,
     3.0,
     12.0,
     0.875,
     kNegativePrompt,
     kSizes720p},
    {"wan2.1-t2v-1.3b",
     [](const ModelCard& card) { return card.transformer.width() <= kWidth1300M; },
     832,
     480,
     81,
     {16, 1},
     50,
     5.0,
     5.0,
     5.0,
     0.875,
     kNegativePrompt,
     kSizes480p},
    {"wan2.1-t2v-14b",
     [](const ModelCard&) { return true; },
     1280,
     720,
     81,
     {16, 1},
     50,
     5.0,
     5.0,
     5.0,
     0.875,
     kNegativePrompt,
     kSizes720p},
};

/// What a scheduler file without a shift reads as.
constexpr double kNoShift = 1.0;

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

JobRequest defaults_of(const DefaultsRow& row, const ModelCard& card, const FamilyRules& rules) {
    JobRequest job;
    job.negative_prompt = row.negative_prompt;
    job.width = round_up(row.width, rules.side_multiple);
    job.height = round_up(row.height, rules.side_multiple);
    job.frames = round_up(row.frames - 1, rules.frame_stride) + 1;
    job.fps = row.fps;
    job.steps = row.steps;
    job.guidance = row.guidance;
    job.shift = card.scheduler.flow_shift != kNoShift ? card.scheduler.flow_shift : row.shift;
    job.sampler = "unipc";
    if (rules.two_experts) {
        job.guidance2 = row.guidance2;
        job.boundary = card.boundary_ratio.value_or(row.boundary);
    }
    return job;
}

} // namespace

FamilyRules family_rules(const ModelCard& card) {
    const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const DefaultsRow& candidate) { return candidate.fits(card); });
    const auto& patch = card.transformer.patch_size;
    FamilyRules rules;
    rules.family = "wan";
    rules.preset = row->preset;
    rules.side_multiple = card.vae.scale_factor_spatial * std::lcm(patch[1], patch[2]);
    rules.minimum_side = rules.side_multiple;
    rules.maximum_side = rules.side_multiple * card.transformer.rope_max_seq_len;
    rules.frame_stride = card.vae.scale_factor_temporal;
    // A position for each latent frame.
    rules.maximum_frames =
        std::min(rules.maximum_frames, (card.transformer.rope_max_seq_len - 1) * rules.frame_stride + 1);
    rules.two_experts = card.transformer_2.has_value();
    rules.heads = card.transformer.num_attention_heads;
    rules.ffn_dim = card.transformer.ffn_dim;
    rules.layers = card.transformer.num_layers;
    rules.token_rows = card.vae.scale_factor_spatial * patch[1];
    rules.token_columns = card.vae.scale_factor_spatial * patch[2];
    rules.token_frames = patch[0];
    for (const TrainedSize& size : row->sizes)
        if (size.width % rules.side_multiple == 0 && size.height % rules.side_multiple == 0)
            rules.sizes.push_back(size);
    rules.defaults = defaults_of(*row, card, rules);
    return rules;
}

} // namespace reelmesh
