// Between pixels and latents. The decoder streams: latent frames in, video frames out, history
// kept inside, so that any chunking of the same latents gives the same frames.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "parallel/halo_band.h"
#include "request/model_card.h"
#include "vae/frame_math.h"
#include "weights/loader.h"
#include "weights/weight_spec.h"

namespace reelmesh {

/// One clip being decoded; one thread.
class VaeDecodeRun {
public:
    virtual ~VaeDecodeRun() = default;
    /// latents [Z, t, H, W] float32, VAE space (denormalised), the next t frames in order. Returns [3, t', h,
    /// w] float32 in -1 ... 1: 1 + 4(t-1) frames for the first chunk, 4t afterwards.
    virtual at::Tensor decode(const at::Tensor& latents) = 0;
};

/// Immutable after loading; shared by ranks. Weights and arithmetic are float32.
class VideoVae {
public:
    virtual ~VideoVae() = default;
    /// The run reads this object's weights: it must end first. band: the run takes and returns this rank's
    /// rows alone, in step with the other members' runs; it must outlive the run. null: whole pictures.
    virtual std::unique_ptr<VaeDecodeRun> start_decode(HaloBand* band = nullptr) const = 0;
    /// video [3, F, h, w] float32 in -1 ... 1; frames beyond 1+4n are dropped. Returns moments
    /// [2Z, 1+(F-1)/4, H, W]: mean, then logvar (not clamped).
    /// band: as in start_decode; its rows are the latents'.
    virtual at::Tensor encode(const at::Tensor& video, HaloBand* band = nullptr) const = 0;
    /// Model space to VAE space and back, [Z,...]: x / (1/std) + mean and (x - mean) * (1/std), in float32.
    virtual at::Tensor denormalise(const at::Tensor& latents) const = 0;
    virtual at::Tensor normalise(const at::Tensor& latents) const = 0;
};

std::vector<WeightSpec> vae_weights(const ModelCard& card);
/// math: of weights on a CPU; it changes rounding and speed, nothing else.
std::unique_ptr<VideoVae> load_vae(const ModelCard& card, WeightMap weights,
                                   FrameMath math = FrameMath::Rows);

/// Of decoding a whole clip of that many latent frames and pixels: for the time that is left before a first
/// decode.
double vae_decode_multiply_adds(const ModelCard& card, std::int64_t latent_frames, std::int64_t height,
                                std::int64_t width);

/// Highest bytes of activations, history and the chunk's video while decoding chunks of chunk_frames latent
/// frames of height x width latent pixels: never below what the decoder takes, for the plan. num_threads:
/// those that the rank may use, 0 for the caller's. By tensors, it is what the decoder allocates itself: what
/// a device's libraries work in comes on top.
std::uint64_t vae_decode_bytes(const WanVaeConfig& config, std::int64_t chunk_frames, std::int64_t height,
                               std::int64_t width, FrameMath math = FrameMath::Rows, int num_threads = 0);

} // namespace reelmesh
