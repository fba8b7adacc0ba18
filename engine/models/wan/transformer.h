// The Wan diffusion transformer: tokens of latents in, tokens of velocity out. Immutable after
// loading, shared by ranks; a run's tensors belong to the caller.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "mesh/rank_context.h"
#include "models/wan/block.h"
#include "models/wan/time_codes.h"
#include "nn/linear.h"
#include "request/model_card.h"
#include "weights/loader.h"

namespace reelmesh::wan {

class Transformer {
public:
    /// Takes the weights of transformer_weights(config); REELMESH_CHECK: none is left.
    Transformer(const WanTransformerConfig& config, WeightMap weights, at::ScalarType dtype);

    /// The share of the rank's place on the tensor axis, as views; without such an axis the same weights.
    std::shared_ptr<const Transformer> share(const RankContext& context) const;
    TokenBuffers make_buffers(const SequenceSplit& split, RankContext& context) const;
    TimeCodes embed_times(const TokenTimes& times) const;
    /// [tokens, text_dim] of any type to [tokens, width].
    at::Tensor project_text(const at::Tensor& text) const;
    /// Keys and values of every block, for a job.
    std::vector<KeysAndValues> project_context(const at::Tensor& text, RankContext& context) const;
    /// latents [tokens, channels * patch], channel first, float32; into [tokens, width].
    void embed_patches(const at::Tensor& hidden, const at::Tensor& latents) const;
    /// Final norm, model type.
    at::Tensor head_norm(const at::Tensor& hidden, const TimeCodes& times, std::int64_t first,
                         std::int64_t count) const;
    /// All of it for the rank's own tokens: latents and velocity [tokens, channels * patch], channel first,
    /// float32. A gate point a block.
    at::Tensor velocity(const at::Tensor& latents, const TokenTimes& times, const at::Tensor& phases,
                        const std::vector<KeysAndValues>& contexts, const TokenBuffers& buffers,
                        RankContext& context, int branch) const;

    const std::vector<Block>& blocks() const { return blocks_; }

private:
    WanTransformerConfig config_;
    at::ScalarType dtype_;
    nn::Linear patch_embedding_, time_1_, time_2_, time_projection_, text_1_, text_2_, output_;
    at::Tensor scale_shift_table_; ///< [1, 2, width] float32
    std::vector<Block> blocks_;
};

} // namespace reelmesh::wan
