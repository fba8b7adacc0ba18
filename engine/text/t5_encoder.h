// The UMT5 encoder: relative position bias in every layer, gated feed-forward. Immutable after
// loading, shared by ranks. It runs on real tokens only, which gives the same values as padding
// with a mask.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "nn/linear.h"
#include "request/model_card.h"
#include "text/text_encoder.h"
#include "weights/loader.h"
#include "weights/weight_spec.h"

namespace reelmesh {

/// Names, shapes and precisions for that type: loaded as float16, the last projection of every layer stays
/// float32.
std::vector<WeightSpec> t5_weights(const T5Config& config, at::ScalarType dtype);

/// Which learned bias a distance of key minus query has: a bucket a step near zero, wider ones further out.
std::int64_t relative_position_bucket(std::int64_t distance, std::int64_t buckets, std::int64_t max_distance);

class T5Encoder : public TextEncoder {
public:
    T5Encoder(const T5Config& config, WeightMap weights, at::ScalarType dtype);
    at::Tensor encode(const std::vector<std::int64_t>& ids, RankContext& context) const override;

private:
    struct Layer {
        Layer(std::int64_t number, WeightMap& weights);
        at::Tensor attention_norm;
        nn::Linear query, key, value, output;
        at::Tensor position_bias; ///< [buckets, heads]
        at::Tensor feed_norm;
        nn::Linear gate, expand, contract;
    };
    /// Bucket of every pair, [query * key] int64.
    at::Tensor buckets(std::int64_t tokens) const;
    at::Tensor attend(const Layer& layer, const at::Tensor& rows, const at::Tensor& buckets) const;
    at::Tensor feed_forward(const Layer& layer, const at::Tensor& rows) const;

    T5Config config_;
    at::Tensor embedding_; ///< [vocabulary, d_model]
    std::vector<Layer> layers_;
    at::Tensor final_norm_;
};

} // namespace reelmesh
