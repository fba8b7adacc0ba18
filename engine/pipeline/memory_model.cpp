#include "pipeline/memory_model.h"

#include <algorithm>

#include "ops/fixed_tiles.h"
#include "pipeline/decode_stage.h"
#include "vae/video_vae.h"
#include "vae/wan/wan_decoder.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
/// What the libraries take once they compute: kernels' scratch, thread stacks, lazily bound code. Measured
/// with the smallest models; it does not grow with the job.
constexpr std::uint64_t kLibraryBytes = 48 * kMiB;
constexpr std::uint64_t kBytesPerThread = 4 * kMiB;
constexpr std::int64_t kEncoderFrames = 60; ///< that the H.264 encoder holds at most
/// Driver context and code, the collectives' buffers, the matrix library's workspace.
constexpr std::uint64_t kDeviceBaseBytes = 1536 * kMiB;
/// Of a picture's decoder at full size, channels that live at once.
constexpr std::uint64_t kFluxDecodeChannels = 512;
constexpr std::int64_t kFloatBytes = 4;

std::uint64_t unsigned_of(std::int64_t value) {
    return static_cast<std::uint64_t>(value);
}

std::uint64_t frame_pixels(const PlanSubject& subject) {
    return unsigned_of(*subject.request.width * *subject.request.height);
}

std::uint64_t latent_bytes(std::int64_t tokens, const PlanSubject& subject) {
    return unsigned_of(tokens * subject.token_features * kFloatBytes);
}

/// Between and inside the layers of one forward, all rows of a rank; e: bytes of an element.
std::uint64_t activation_bytes(const PlanSubject& subject, const WorkSplit& split, int rank, std::int64_t e) {
    const TransformerShape& shape = subject.shape;
    const MeshShape& mesh = split.mesh;
    const int tensor = mesh.degree(Axis::Tensor), ring = mesh.degree(Axis::Ring);
    const std::int64_t own = split.own(rank), share = shape.heads / tensor * shape.head_dim;
    const std::int64_t block = split.block(mesh.coordinate(rank, Axis::Ring));
    const std::int64_t gathered = split.own_heads(rank) * shape.head_dim;
    std::int64_t bytes = own * (shape.width + 3 * share) * e;
    if (mesh.degree(Axis::Ulysses) > 1)
        bytes += (block * 4 * gathered + own * share) * e;
    else
        bytes += own * share * e;
    if (ring > 1) {
        std::int64_t largest = 0;
        for (int i = 0; i < ring; ++i)
            largest = std::max(largest, split.block(i));
        // Two K/V buffers; the merged and the coming output in float32, with their sums.
        bytes += 4 * largest * gathered * e + 2 * block * (gathered + split.own_heads(rank)) * kFloatBytes;
    }
    if (tensor > 1) bytes += own * (shape.width + share) * e + 2 * own * kFloatBytes;
    return unsigned_of(bytes) + latent_bytes(split.own_image(rank), subject);
}

/// Projected text of the branches that the rank runs.
std::uint64_t context_bytes(const PlanSubject& subject, const MeshShape& mesh) {
    const int cfg = std::min(mesh.degree(Axis::Cfg), subject.branches);
    const auto own = static_cast<std::uint64_t>((subject.branches + cfg - 1) / cfg);
    return own * subject.context_bytes / static_cast<std::uint64_t>(mesh.degree(Axis::Tensor));
}

/// Decoding on all ranks: the whole picture's, and for each band more the rows that it reads from neighbours
/// and the whole frame's keys and values at the middle attention.
std::uint64_t decode_bytes(const PlanSubject& subject, int ranks, FrameMath math, int threads) {
    if (!subject.vae) return kFluxDecodeChannels * frame_pixels(subject) * kFloatBytes;
    const auto bytes = [&](std::int64_t rows) {
        return vae_decode_bytes(*subject.vae, kDecodeChunkFrames, rows, subject.latent_width, math, threads);
    };
    const std::int64_t rows = subject.latent_height;
    const auto more = static_cast<std::uint64_t>(std::min<std::int64_t>(ranks, rows) - 1);
    const std::int64_t middle = 3 * decoder_levels(*subject.vae).front().in * rows * subject.latent_width;
    const std::uint64_t whole = bytes(rows);
    return more == 0 ? whole : whole + more * (bytes(rows + 2) - whole + unsigned_of(middle * kFloatBytes));
}

std::uint64_t row_block_bytes(const PlanSubject& subject) {
    return unsigned_of(ops::kRowBlock * (subject.shape.ffn + 4 * subject.shape.width)) * sizeof(float);
}

} // namespace

MemoryEstimate process_memory(const PlanSubject& subject, const WorkSplit& split,
                              const HardwareSnapshot& hardware, int threads, std::vector<RankShare>& shares) {
    const MeshShape& mesh = split.mesh;
    const int ranks = mesh.ranks() / mesh.degree(Axis::Data);
    const int busy_threads = std::max(threads, ranks);
    const auto branches = static_cast<std::uint64_t>(subject.branches);
    const std::uint64_t latents = latent_bytes(subject.image_tokens, subject);

    MemoryEstimate memory;
    memory.base =
        hardware.process_bytes + kLibraryBytes + kBytesPerThread * static_cast<std::uint64_t>(busy_threads);
    // Ranks of one process read the same weights, tensor-parallel ones views of them.
    memory.weights = subject.block_weight_bytes + subject.other_weight_bytes;
    memory.text =
        static_cast<std::uint64_t>(std::min(ranks, subject.branches)) * subject.text_activation_bytes;
    // Threads of one rank work on row blocks of their own.
    memory.denoise = static_cast<std::uint64_t>(busy_threads) * row_block_bytes(subject);
    for (int rank = 0; rank < ranks; ++rank) {
        // Each rank keeps its tokens' latents, solver history and its branches' contexts; one forward runs on
        // each at a time.
        const std::uint64_t own = context_bytes(subject, mesh) +
                                  activation_bytes(subject, split, rank, kFloatBytes) +
                                  (8 + 2 * branches) * latent_bytes(split.own_image(rank), subject);
        shares[static_cast<std::size_t>(rank)].peak_bytes = own;
        memory.denoise += own;
    }
    // The whole of them, where they are put together for previews and the decoder.
    if (mesh.degree(Axis::Ring) * mesh.degree(Axis::Ulysses) > 1) memory.denoise += 3 * latents;
    memory.decode = decode_bytes(subject, ranks, FrameMath::Rows, busy_threads) + 4 * latents +
                    frame_pixels(subject) * (12 + 3) * static_cast<std::uint64_t>(subject.rules.frame_stride);
    // Queued pictures, and the encoder's look-ahead: each frame with its interpolated and halved planes.
    const auto encoder_frames =
        static_cast<std::uint64_t>(std::min<std::int64_t>(kEncoderFrames, *subject.request.frames));
    memory.write = frame_pixels(subject) * (16 * 3 + encoder_frames * 7);
    return memory;
}

MemoryEstimate device_memory(const PlanSubject& subject, const WorkSplit& split, int rank, int stages,
                             BlockWeights blocks) {
    const MeshShape& mesh = split.mesh;
    const auto tensor = static_cast<std::uint64_t>(mesh.degree(Axis::Tensor));
    const auto branches = static_cast<std::uint64_t>(subject.branches);
    const std::int64_t own = split.own(rank);
    MemoryEstimate memory;
    memory.base = kDeviceBaseBytes;
    const std::uint64_t parts = blocks == BlockWeights::Whole ? 1 : tensor;
    memory.weights = subject.block_weight_bytes / (parts * static_cast<std::uint64_t>(stages)) +
                     subject.other_weight_bytes;
    memory.text = subject.text_activation_bytes;
    // All rows at once: the feed-forward layer's inside, and two float32 copies of the stream.
    const std::int64_t inside = own * (subject.shape.ffn / mesh.degree(Axis::Tensor) * subject.element_bytes +
                                       2 * subject.shape.width * kFloatBytes);
    memory.denoise =
        context_bytes(subject, mesh) * static_cast<std::uint64_t>(subject.element_bytes) / sizeof(float) +
        activation_bytes(subject, split, rank, subject.element_bytes) + unsigned_of(inside) +
        (8 + 2 * branches) * latent_bytes(split.own_image(rank), subject);
    if (stages > 1) {
        const int cfg = mesh.degree(Axis::Cfg);
        const auto resident = static_cast<std::uint64_t>((subject.branches + cfg - 1) / cfg);
        memory.denoise += resident *
                          pipe_store_bytes(subject.shape, split.tokens, stages, subject.element_bytes) *
                          unsigned_of(split.own_heads(rank)) / unsigned_of(subject.shape.heads);
    }
    const int ranks = mesh.ranks() / mesh.degree(Axis::Data);
    const std::uint64_t whole = decode_bytes(subject, 1, FrameMath::Tensors, 1);
    const auto bands = static_cast<std::uint64_t>(std::min<std::int64_t>(ranks, subject.latent_height));
    memory.decode = (ranks == 1 ? whole : decode_bytes(subject, ranks, FrameMath::Tensors, 1) / bands) +
                    4 * latent_bytes(subject.image_tokens, subject);
    return memory;
}

} // namespace reelmesh
