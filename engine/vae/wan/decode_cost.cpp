#include "base/check.h"
#include "vae/video_vae.h"

#include <charconv>

namespace reelmesh {
namespace {

/// How many upsampling stages lie before a decoder weight, by its name: up_blocks.N work after N, the
/// convolution behind an upsampling after N + 1, the last ones after all.
std::int64_t stages_before(const std::string& name, std::int64_t stages) {
    constexpr std::string_view kBlocks = "decoder.up_blocks.";
    if (name.starts_with("decoder.conv_out")) return stages;
    if (!name.starts_with(kBlocks)) return 0;
    std::int64_t block = 0;
    std::from_chars(name.data() + kBlocks.size(), name.data() + name.size(), block);
    return name.find(".resample.") == std::string::npos ? block : block + 1;
}

} // namespace

double vae_decode_multiply_adds(const ModelCard& card, std::int64_t latent_frames, std::int64_t height,
                                std::int64_t width) {
    const auto stages = static_cast<std::int64_t>(card.vae.dim_mult.size()) - 1;
    const std::vector<bool>& temporal = card.vae.temporal_downsample;
    double sum = 0;
    for (const WeightSpec& spec : vae_weights(card)) {
        if (!spec.name.starts_with("decoder.") || spec.shape.size() < 4) continue;
        double products = static_cast<double>(latent_frames * height * width);
        for (const std::int64_t size : spec.shape)
            products *= static_cast<double>(size);
        const std::int64_t before = stages_before(spec.name, stages);
        for (std::int64_t stage = 0; stage < before; ++stage)
            products *= temporal[static_cast<std::size_t>(stages - 1 - stage)] ? 8 : 4;
        sum += products;
    }
    return sum;
}

} // namespace reelmesh
