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
    DecodeMeter(std::int64_t height, std::int64_t width, int num_threads)
        : height_(height), width_(width), num_threads_(num_threads) {}

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

    /// A convolution while frames of so many channels altogether exist, its result included.
    void conv(ConvGeometry geometry, std::int64_t in, std::int64_t out, std::int64_t live_channels) {
        const std::int64_t rows = band_rows(geometry, in, out, width_);
        const std::int64_t busy = std::min<std::int64_t>(num_threads_, (height_ + rows - 1) / rows);
        const std::uint64_t scratch =
            static_cast<std::uint64_t>(busy) * band_bytes(geometry, in, out, height_, width_);
        peak_ = std::max(peak_, held_ + frame(live_channels) + scratch);
    }
    void causal_conv(ConvGeometry geometry, std::int64_t in, std::int64_t out, std::int64_t live_channels) {
        conv(geometry, in, 3 * out, live_channels);
        history_ += 2 * frame(out);
    }
    void res_block(std::int64_t in, std::int64_t out) {
        causal_conv(kSame, in, out, in + out);
        if (in != out) conv(kPointwise, in, out, in + 2 * out);
        causal_conv(kSame, out, out, 3 * out);
    }
    void attention(std::int64_t channels) {
        conv(kPointwise, channels, 3 * channels, 4 * channels);
        conv(kPointwise, channels, channels, 6 * channels);
    }

private:
    std::int64_t height_, width_;
    int num_threads_;
    std::uint64_t held_ = 0, history_ = 0, peak_ = 0;
};

} // namespace

std::uint64_t vae_decode_bytes(const WanVaeConfig& config, std::int64_t chunk_frames, std::int64_t height,
                               std::int64_t width, int num_threads) {
    const std::vector<DecoderLevelShape> levels = decoder_levels(config);
    DecodeMeter meter(height, width, num_threads > 0 ? num_threads : omp_get_max_threads());
    const std::int64_t pixels = config.scale_factor_spatial * config.scale_factor_spatial;
    meter.hold(meter.frame(3 * pixels) *
               static_cast<std::uint64_t>(chunk_frames * config.scale_factor_temporal));
    meter.hold(meter.frame(2 * config.z_dim));

    const std::int64_t widest = levels.front().in;
    meter.causal_conv(kSame, config.z_dim, widest, widest);
    meter.res_block(widest, widest);
    meter.attention(widest);
    meter.res_block(widest, widest);
    for (const DecoderLevelShape& level : levels) {
        if (config.is_residual && level.enlarges) meter.hold(meter.frame(level.in));
        for (std::int64_t i = 0; i <= config.num_res_blocks; ++i)
            meter.res_block(i == 0 ? level.in : level.out, level.out);
        if (!level.enlarges) continue;
        if (level.temporal) {
            meter.causal_conv(kPointwise, level.out, 2 * level.out, 3 * level.out);
            meter.hold(meter.frame(2 * level.out));
        }
        meter.enlarge();
        meter.conv(kSame, level.out, level.enlarged, level.enlarged);
    }
    meter.causal_conv(kSame, levels.back().out, config.out_channels, levels.back().out + config.out_channels);
    return meter.total() + kFixedBytes;
}

} // namespace reelmesh
