// What a mesh sends for a job, to the byte: payload that others take from a rank. The records of the
// communicators must equal it. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "models/family.h"
#include "request/mesh_shape.h"
#include "request/model_card.h"

namespace reelmesh {

/// How one forward's tokens and heads lie on a mesh. Slots are ring * U + ulysses, the same in each guidance
/// branch and on each tensor-parallel rank.
struct WorkSplit {
    MeshShape mesh;
    std::vector<std::int64_t> image; ///< latents' tokens of each slot
    std::vector<std::int64_t> slots; ///< rows of each slot: those, and its text in joint attention
    std::vector<std::int64_t> heads; ///< of a tensor-parallel share, by ulysses coordinate
    std::int64_t tokens = 0;         ///< rows of the whole sequence

    int slot(int rank) const {
        return mesh.coordinate(rank, Axis::Ring) * mesh.degree(Axis::Ulysses) +
               mesh.coordinate(rank, Axis::Ulysses);
    }
    std::int64_t own(int rank) const { return slots[static_cast<std::size_t>(slot(rank))]; }
    std::int64_t own_image(int rank) const { return image[static_cast<std::size_t>(slot(rank))]; }
    std::int64_t own_heads(int rank) const {
        return heads[static_cast<std::size_t>(mesh.coordinate(rank, Axis::Ulysses))];
    }
    std::int64_t block(int ring) const; ///< rows of a ring block
};

/// weights: relative speed of each slot; empty: even.
WorkSplit split_work(const TransformerShape& shape, std::int64_t image_tokens, const MeshShape& mesh,
                     const std::vector<double>& weights = {});

/// Bytes that a rank sends in one forward of one layer; e: bytes of an element.
std::uint64_t ulysses_layer_bytes(const TransformerShape& shape, const WorkSplit& split, int rank, int e);
std::uint64_t ring_layer_bytes(const TransformerShape& shape, const WorkSplit& split, int rank, int e);

/// Bytes that a tensor-parallel rank sends in one forward: sums, and the squares of norms over all heads.
std::uint64_t tensor_forward_bytes(const TransformerShape& shape, const WorkSplit& split, int rank, int e);
std::uint64_t tensor_norm_forward_bytes(const TransformerShape& shape, const WorkSplit& split, int rank);
/// Once a job for each branch that the rank runs and each expert: the norms of the text's keys.
std::uint64_t tensor_context_bytes(const TransformerShape& shape, const WorkSplit& split, int rank);

/// Bytes that a rank sends in one step to combine guidance branches: its velocity, float32.
std::uint64_t guidance_step_bytes(const WorkSplit& split, int rank, std::int64_t token_features);

/// Of layers dealt to stages: the activation at a border, one forward; K and V that a stage keeps.
std::uint64_t pipe_border_bytes(const TransformerShape& shape, std::int64_t tokens, int e);
std::uint64_t pipe_store_bytes(const TransformerShape& shape, std::int64_t tokens, int stages, int e);

/// An all_reduce of n elements, element counts: (n - chunk) to those that sum, the sum of the own chunk to
/// all.
std::int64_t all_reduce_elements(std::int64_t n, int ranks, int rank);

/// Decoding in bands of latent rows.
struct VaeTraffic {
    int bands = 1;
    std::int64_t exchanges = 0;           ///< halo exchanges of an inner band
    std::uint64_t side_bytes = 0;         ///< across one inner border in one direction, all convolutions
    std::uint64_t gather_frame_bytes = 0; ///< of all rows of one latent frame, to one rank
    std::vector<std::int64_t> rows;       ///< of each band
    std::int64_t latent_frames = 0;

    std::uint64_t rank_bytes(int band) const;
    std::uint64_t total_bytes() const;
};
/// ranks: of the replica; no more bands than rows.
VaeTraffic vae_traffic(const WanVaeConfig& config, std::int64_t latent_frames, std::int64_t height,
                       std::int64_t width, int ranks);

/// The formulas of the reference chapter as it prints them, though they count more or less than is sent: for
/// comparing with its tables alone. All per rank, even splits.
namespace reference_chapter {
double ulysses_layer_bytes(double tokens, double width, int e, int ranks);
double ring_layer_bytes(double tokens, double width, int e, int ranks);
double pipefusion_bytes(double tokens, double width, int e, double layers, int ranks);
double tensor_bytes(double tokens, double width, int e, double layers, int ranks);
double guidance_step_bytes(double latent_elements, int e);
} // namespace reference_chapter

} // namespace reelmesh
