#include "pipeline/communication.h"

#include <algorithm>
#include <numeric>

#include "base/split.h"
#include "vae/wan/wan_decoder.h"

namespace reelmesh {
namespace {

constexpr std::int64_t kFloatBytes = 4;

std::uint64_t unsigned_of(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

/// Follows a clip through the decoder and adds up the rows that its 3x3 convolutions read from a neighbour.
class HaloWalk {
public:
    HaloWalk(std::int64_t width, std::int64_t frames) : width_(width), frames_(frames) {}

    void conv(std::int64_t in) {
        elements_ += in * width_ * frames_;
        ++convs_;
    }
    void res_block(std::int64_t in, std::int64_t out) {
        conv(in);
        conv(out);
    }
    /// The convolution behind an enlargement reads the larger row.
    void upsample(std::int64_t in, bool temporal) {
        if (temporal) frames_ = 2 * frames_ - 1;
        width_ *= 2;
        conv(in);
    }
    std::int64_t elements() const { return elements_; }
    std::int64_t convs() const { return convs_; }

private:
    std::int64_t width_, frames_, elements_ = 0, convs_ = 0;
};

} // namespace

std::int64_t WorkSplit::block(int ring) const {
    const auto first = slots.begin() + std::ptrdiff_t{ring} * mesh.degree(Axis::Ulysses);
    return std::accumulate(first, first + mesh.degree(Axis::Ulysses), std::int64_t{0});
}

WorkSplit split_work(const TransformerShape& shape, std::int64_t image_tokens, const MeshShape& mesh,
                     const std::vector<double>& weights) {
    const int slots = mesh.degree(Axis::Ring) * mesh.degree(Axis::Ulysses);
    WorkSplit work;
    work.mesh = mesh;
    work.image = weights.empty() ? split(image_tokens, slots) : split(image_tokens, weights);
    work.slots = work.image;
    // Text and image are split each: both lie evenly on the ranks.
    const std::vector<std::int64_t> text = split(shape.joint_text_tokens, slots);
    for (std::size_t i = 0; i < text.size(); ++i)
        work.slots[i] += text[i];
    work.heads = split(shape.heads / mesh.degree(Axis::Tensor), mesh.degree(Axis::Ulysses));
    work.tokens = image_tokens + shape.joint_text_tokens;
    return work;
}

std::int64_t all_reduce_elements(std::int64_t n, int ranks, int rank) {
    if (ranks == 1) return 0;
    const std::int64_t chunk = n / ranks + (rank < n % ranks ? 1 : 0);
    return n + (ranks - 2) * chunk;
}

std::uint64_t ulysses_layer_bytes(const TransformerShape& shape, const WorkSplit& split, int rank, int e) {
    const std::int64_t own = split.own(rank), heads = split.own_heads(rank);
    const std::int64_t all_heads = shape.heads / split.mesh.degree(Axis::Tensor);
    const std::int64_t block = split.block(split.mesh.coordinate(rank, Axis::Ring));
    return unsigned_of((3 * own * (all_heads - heads) + (block - own) * heads) * shape.head_dim * e);
}

std::uint64_t ring_layer_bytes(const TransformerShape& shape, const WorkSplit& split, int rank, int e) {
    const int ranks = split.mesh.degree(Axis::Ring);
    if (ranks == 1) return 0;
    // A rank passes on every block but the one that its next neighbour started with.
    const std::int64_t next = split.block((split.mesh.coordinate(rank, Axis::Ring) + 1) % ranks);
    return unsigned_of(2 * shape.head_dim * split.own_heads(rank) * e * (split.tokens - next));
}

std::uint64_t tensor_forward_bytes(const TransformerShape& shape, const WorkSplit& split, int rank, int e) {
    const int ranks = split.mesh.degree(Axis::Tensor);
    const std::int64_t sum =
        all_reduce_elements(split.own(rank) * shape.width, ranks, split.mesh.coordinate(rank, Axis::Tensor));
    return unsigned_of(shape.tensor_reduces_per_forward * sum * e);
}

std::uint64_t tensor_norm_forward_bytes(const TransformerShape& shape, const WorkSplit& split, int rank) {
    if (!shape.norm_over_heads) return 0;
    const int ranks = split.mesh.degree(Axis::Tensor), own = split.mesh.coordinate(rank, Axis::Tensor);
    // Queries and keys of self-attention together, queries of cross-attention.
    const std::int64_t elements = all_reduce_elements(2 * split.own(rank), ranks, own) +
                                  all_reduce_elements(split.own(rank), ranks, own);
    return unsigned_of(shape.layers * elements * kFloatBytes);
}

std::uint64_t tensor_context_bytes(const TransformerShape& shape, const WorkSplit& split, int rank) {
    if (!shape.norm_over_heads) return 0;
    const std::int64_t elements = all_reduce_elements(shape.text_tokens, split.mesh.degree(Axis::Tensor),
                                                      split.mesh.coordinate(rank, Axis::Tensor));
    return unsigned_of(shape.layers * elements * kFloatBytes);
}

std::uint64_t guidance_step_bytes(const WorkSplit& split, int rank, std::int64_t token_features) {
    const int others = split.mesh.degree(Axis::Cfg) - 1;
    return unsigned_of(kFloatBytes * split.own_image(rank) * token_features * others);
}

std::uint64_t pipe_border_bytes(const TransformerShape& shape, std::int64_t tokens, int e) {
    return unsigned_of(tokens * shape.width * e);
}

std::uint64_t pipe_store_bytes(const TransformerShape& shape, std::int64_t tokens, int stages, int e) {
    return unsigned_of(2 * tokens * shape.width * e * ((shape.layers + stages - 1) / stages));
}

std::uint64_t VaeTraffic::rank_bytes(int band) const {
    if (bands == 1) return 0;
    const auto index = static_cast<std::size_t>(band);
    const std::uint64_t sides = (band > 0 ? 1 : 0) + (band + 1 < bands ? 1 : 0);
    const std::int64_t height = std::accumulate(rows.begin(), rows.end(), std::int64_t{0});
    const std::uint64_t row_bytes = gather_frame_bytes / unsigned_of(height);
    return sides * side_bytes + unsigned_of(rows[index] * latent_frames * (bands - 1)) * row_bytes;
}

std::uint64_t VaeTraffic::total_bytes() const {
    std::uint64_t sum = 0;
    for (int band = 0; band < bands; ++band)
        sum += rank_bytes(band);
    return sum;
}

VaeTraffic vae_traffic(const WanVaeConfig& config, std::int64_t latent_frames, std::int64_t height,
                       std::int64_t width, int ranks) {
    const std::vector<DecoderLevelShape> levels = decoder_levels(config);
    const std::int64_t widest = levels.front().in;
    HaloWalk walk(width, latent_frames);
    walk.conv(config.z_dim);
    walk.res_block(widest, widest);
    walk.res_block(widest, widest);
    for (const DecoderLevelShape& level : levels) {
        for (std::int64_t i = 0; i <= config.num_res_blocks; ++i)
            walk.res_block(i == 0 ? level.in : level.out, level.out);
        if (level.enlarges) walk.upsample(level.out, level.temporal);
    }
    walk.conv(levels.back().out);

    VaeTraffic traffic;
    traffic.bands = static_cast<int>(std::min<std::int64_t>(ranks, height));
    traffic.rows = split(height, traffic.bands);
    traffic.latent_frames = latent_frames;
    // Frames come one latent frame at a time.
    traffic.exchanges = walk.convs() * latent_frames;
    traffic.side_bytes = unsigned_of(walk.elements() * kFloatBytes);
    traffic.gather_frame_bytes = unsigned_of(height * width * widest * kFloatBytes);
    return traffic;
}

namespace reference_chapter {

double ulysses_layer_bytes(double tokens, double width, int e, int ranks) {
    return 8 * tokens * width * e * (ranks - 1) / (static_cast<double>(ranks) * ranks);
}

double ring_layer_bytes(double tokens, double width, int e, int ranks) {
    return 2 * tokens * width * e * (ranks - 1) / ranks;
}

double pipefusion_bytes(double tokens, double width, int e, double layers, int ranks) {
    return 2 * tokens / ranks * width * e * layers;
}

double tensor_bytes(double tokens, double width, int e, double layers, int ranks) {
    return 4 * tokens * width * e * layers * (ranks - 1) / ranks;
}

double guidance_step_bytes(double latent_elements, int e) {
    return latent_elements * e;
}

} // namespace reference_chapter

} // namespace reelmesh
