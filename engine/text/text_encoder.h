// From token ids to the embeddings that a diffusion model attends to.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "mesh/rank_context.h"
#include "request/model_card.h"
#include "weights/loader.h"
#include "weights/weight_spec.h"

namespace reelmesh {

/// Immutable after loading; shared by ranks.
class TextEncoder {
public:
    virtual ~TextEncoder() = default;
    /// ids: n real tokens, end token included, no padding. Returns [n, width] in the encoder's dtype. A gate point a layer.
    virtual at::Tensor encode(const std::vector<std::int64_t>& ids, RankContext& context) const = 0;
};

/// Precisions depend on the type that the encoder is loaded in.
std::vector<WeightSpec> text_encoder_weights(const ModelCard& card, at::ScalarType dtype);
std::unique_ptr<TextEncoder> load_text_encoder(const ModelCard& card, WeightMap weights, at::ScalarType dtype);

} // namespace reelmesh
