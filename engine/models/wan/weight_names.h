// Every weight of a Wan transformer: name as stored, shape, and whether it stays in float32.
#pragma once

#include <vector>

#include "request/model_card.h"
#include "weights/weight_spec.h"

namespace reelmesh::wan {

/// Text-to-video models: no image branch.
std::vector<WeightSpec> transformer_weights(const WanTransformerConfig& config);

} // namespace reelmesh::wan
