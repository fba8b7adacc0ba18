// What a model family is to the rest of the engine: a pure description of a request, a loaded
// model shared by ranks, and a run that turns streams of latents into streams of velocities.
// Nothing outside a family's folder asks which family it is.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/request.h"
#include "mesh/rank_context.h"
#include "request/model_card.h"
#include "weights/loader.h"
#include "weights/weight_spec.h"

namespace reelmesh {

/// One sequence of latents that is denoised: a video, or beside it the sound.
struct LatentStream {
    std::string name;
    std::vector<std::int64_t> shape; ///< of the latents, channels first: [C,T,H,W]
    std::array<std::int64_t, 3> patch{1, 1, 1};
    std::array<std::int64_t, 3> token_grid{1, 1, 1}; ///< frames, rows, columns
    double clock = 1;                                ///< latent frames of this stream per frame of the first
    std::int64_t tokens() const { return token_grid[0] * token_grid[1] * token_grid[2]; }
    std::int64_t token_width() const { return shape[0] * patch[0] * patch[1] * patch[2]; }
};

enum class ContextKind { Text, Image, Audio };

struct ContextInput {
    std::string name;
    ContextKind kind = ContextKind::Text;
    std::int64_t tokens = 0, width = 0;
};

/// A set of weights that serves the steps whose timestep is at least minimum_timestep; the first that fits is
/// used.
struct Expert {
    std::string component;
    double minimum_timestep = 0;
    bool low_noise = false; ///< takes guidance2
};

/// Of one forward of one branch.
struct CostFigures {
    double multiply_adds = 0;
    std::uint64_t activation_bytes = 0; ///< highest at one time, beside weights and contexts, float32
    std::uint64_t context_bytes = 0;    ///< kept for the job, one branch, float32
};

/// Sizes of the blocks, as far as communication, time and memory follow from them.
struct TransformerShape {
    std::int64_t width = 0, heads = 0, head_dim = 0, ffn = 0, layers = 0;
    std::int64_t text_tokens = 0;       ///< attended to by cross-attention, whole on every rank
    std::int64_t joint_text_tokens = 0; ///< rows of the sequence, split like the latents' tokens
    std::int64_t tensor_reduces_per_forward = 0; ///< sums of [tokens, width] over tensor-parallel ranks
    bool norm_over_heads = false; ///< queries and keys are normed over all heads: tensor-parallel ranks sum squares
};

struct FamilyDescription {
    TransformerShape shape;
    std::vector<LatentStream> streams;
    std::vector<ContextInput> contexts;
    int guidance_branches = 2; ///< at most; guidance <= 1 runs the first alone
    std::vector<Expert> experts;
    int blocks = 0; ///< gate points of one forward
    CostFigures cost;
    std::string text_encoder, vae; ///< registry keys
};

/// What a run is told of a step, the same on every rank.
struct StepPoint {
    int step = 0;
    double timestep = 0; ///< as the model takes it
    double sigma = 0;
    int expert = 0; ///< index into FamilyDescription::experts
};

/// Contexts of one guidance branch, in the order of FamilyDescription::contexts: [tokens, width] each, model
/// dtype or float32; rows behind the prompt's tokens are zero.
using BranchContexts = std::vector<at::Tensor>;

/// One job on one rank. Not shared; holds what is computed once (projected contexts, rotary tables). Made and
/// called by all ranks of a mesh together: both may run collectives.
class DiffusionRun {
public:
    virtual ~DiffusionRun() = default;
    /// streams[i]: the rank's own tokens (parallel/sequence_split), [tokens, token_width] float32, features
    /// in latent order (channel, frame, row, column of the patch). Returns the velocities in the same form,
    /// float32. Claims a gate point and records a block for each of FamilyDescription::blocks through the
    /// context; throws Canceled past the gate's limit.
    virtual std::vector<at::Tensor> velocity(const StepPoint& point, int branch,
                                             const std::vector<at::Tensor>& streams,
                                             RankContext& context) = 0;
};

/// Loaded weights; immutable, shared by the ranks of a device.
class DiffusionModel {
public:
    virtual ~DiffusionModel() = default;
    /// branches[b]: contexts of guidance branch b; an undefined branch (empty vector) is never asked for on
    /// this rank.
    virtual std::unique_ptr<DiffusionRun> prepare(const FamilyDescription& description,
                                                  const std::vector<BranchContexts>& branches,
                                                  RankContext& context) const = 0;
};

/// A component's needs: "transformer" and its weights.
struct ComponentWeights {
    std::string component;
    std::vector<WeightSpec> specs;
};

class Family {
public:
    virtual ~Family() = default;
    virtual std::string_view name() const = 0;
    /// Pure. The request is complete and legal for the card.
    virtual FamilyDescription describe(const ModelCard& card, const JobRequest& request) const = 0;
    virtual std::vector<ComponentWeights> weights(const ModelCard& card) const = 0;
    /// Consumes the weights of every component that weights() named.
    virtual std::shared_ptr<const DiffusionModel>
    load(const ModelCard& card, std::map<std::string, WeightMap> weights, at::ScalarType dtype) const = 0;
};

/// The family with that registry key; Internal error if there is none.
const Family& find_family(std::string_view name);

} // namespace reelmesh
