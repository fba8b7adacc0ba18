#include "vae/wan/wan_decoder.h"

#include "vae/video_vae.h"

#include <omp.h>

#include <algorithm>

namespace reelmesh {
namespace {

/// Compiled convolutions and buffers of their library, small frames on the heap, stacks (measured: 13 to 19
/// MiB).
constexpr std::uint64_t kFixedBytes = std::uint64_t{24} << 20;

/// Follows a frame through the decoder and adds up what is held at each point.
class DecodeMeter {
public:
    DecodeMeter(std::int64_t height, std::int64_t width, FrameMath math, int num_threads)
        : height_(height), width_(width), math_(math), num_threads_(num_threads) {}

    std::uint64_t total() const { return history_ + peak_; }
    std::uint64_t frame(std::int64_t channels) const {
        return static_cast<std::uint64_t>(channels * height_ * width_) * sizeof(float);
    }
    /// Until the end.
    void hold(std::uint64_t num_bytes) { held_ += num_bytes; }
    void enlarge() {
        height_ *= 2;
        width_ *= 2;
    }

    /// A convolution while frames of so many channels altogether exist, its result included. normed: it reads
    /// its input through a normalisation.
    void conv(ConvGeometry geometry, std::int64_t in, std::int64_t out, std::int64_t live_channels,
              bool normed = false) {
        if (math_ == FrameMath::Tensors) {
            // Read as it stands, or a copy of it: enlarged or normalised, while its squares are made.
            return see(live_channels + (normed ? in : 0));
        }
        const std::int64_t rows = band_rows(geometry, in, out, width_);
        const std::int64_t busy = std::min<std::int64_t>(num_threads_, (height_ + rows - 1) / rows);
        see(live_channels, static_cast<std::uint64_t>(busy) * band_bytes(geometry, in, out, height_, width_));
    }
    void causal_conv(ConvGeometry geometry, std::int64_t in, std::int64_t out, std::int64_t live_channels,
                     bool normed = true) {
        if (math_ == FrameMath::Tensors) {
            // The sums of three frames, beside what they are read from, then beside the result.
            see(live_channels - out + 3 * out + (normed ? in : 0));
            see(live_channels + 3 * out);
        } else {
            conv(geometry, in, 3 * out, live_channels);
        }
        history_ += 2 * frame(out);
    }
    void res_block(std::int64_t in, std::int64_t out) {
        causal_conv(kSame, in, out, in + out);
        if (in != out) conv(kPointwise, in, out, in + 2 * out);
        causal_conv(kSame, out, out, 3 * out);
    }
    void attention(std::int64_t channels) {
        conv(kPointwise, channels, 3 * channels, 4 * channels, /*normed=*/true);
        conv(kPointwise, channels, channels, 6 * channels);
    }
    /// From a frame that was enlarged before: it stays, a quarter of the size.
    void enlarged_conv(std::int64_t in, std::int64_t out) {
        if (math_ == FrameMath::Tensors) return see(in + out + (in + 3) / 4);
        conv(kSame, in, out, out);
    }

private:
    void see(std::int64_t live_channels, std::uint64_t scratch = 0) {
        peak_ = std::max(peak_, held_ + frame(live_channels) + scratch);
    }

    std::int64_t height_, width_;
    FrameMath math_;
    int num_threads_;
    std::uint64_t held_ = 0, history_ = 0, peak_ = 0;
};

} // namespace

std::uint64_t vae_decode_bytes(const WanVaeConfig& config, std::int64_t chunk_frames, std::int64_t height,
                               std::int64_t width, FrameMath math, int num_threads) {
    const std::vector<DecoderLevelShape> levels = decoder_levels(config);
    DecodeMeter meter(height, width, math, num_threads > 0 ? num_threads : omp_get_max_threads());
    const std::int64_t pixels = config.scale_factor_spatial * config.scale_factor_spatial;
    meter.hold(meter.frame(3 * pixels) *
               static_cast<std::uint64_t>(chunk_frames * config.scale_factor_temporal));
    meter.hold(meter.frame(2 * config.z_dim));

    const std::int64_t widest = levels.front().in;
    meter.causal_conv(kSame, config.z_dim, widest, widest, /*normed=*/false);
    meter.res_block(widest, widest);
    meter.attention(widest);
    meter.res_block(widest, widest);
    for (const DecoderLevelShape& level : levels) {
        if (config.is_residual && level.enlarges) meter.hold(meter.frame(level.in));
        for (std::int64_t i = 0; i <= config.num_res_blocks; ++i)
            meter.res_block(i == 0 ? level.in : level.out, level.out);
        if (!level.enlarges) continue;
        if (level.temporal) {
            meter.causal_conv(kPointwise, level.out, 2 * level.out, 3 * level.out, /*normed=*/false);
            meter.hold(meter.frame(2 * level.out));
        }
        meter.enlarge();
        meter.enlarged_conv(level.out, level.enlarged);
    }
    meter.causal_conv(kSame, levels.back().out, config.out_channels, levels.back().out + config.out_channels);
    return meter.total() + (math == FrameMath::Rows ? kFixedBytes : 0);
}

} // namespace reelmesh
