#include "text/t5_encoder.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/isinf.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/softmax.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>

#include "base/check.h"
#include "ops/fixed_tiles.h"
#include "ops/rms_norm.h"

namespace reelmesh {

namespace {

constexpr const char* kEmbedding = "shared.weight";
constexpr const char* kFinalNorm = "encoder.final_layer_norm.weight";

std::string layer_name(std::int64_t number, int part) {
    return "encoder.block." + std::to_string(number) + ".layer." + std::to_string(part) + ".";
}

// The real models' widening buckets, by the first distance of each: the formula's logarithm is a
// rounding away from another bucket at some of them.
constexpr std::int64_t kRealBuckets = 32, kRealMaxDistance = 128;
constexpr std::array<std::int64_t, 7> kRealSteps{12, 16, 23, 32, 46, 64, 91};

std::int64_t far_bucket(std::int64_t distance, std::int64_t exact, std::int64_t half,
                        std::int64_t max_distance) {
    if (half == kRealBuckets / 2 && max_distance == kRealMaxDistance)
        return exact + (std::ranges::upper_bound(kRealSteps, distance) - kRealSteps.begin());
    const auto scaled =
        std::log(static_cast<float>(distance) / static_cast<float>(exact)) /
        static_cast<float>(std::log(static_cast<double>(max_distance) / static_cast<double>(exact))) *
        static_cast<float>(half - exact);
    return std::min(half - 1, exact + static_cast<std::int64_t>(scaled));
}

// float16 overflows: the reference clips, and a little lower when something has already overflowed.
void clip_half(at::Tensor& hidden) {
    if (hidden.scalar_type() != at::kHalf) return;
    const auto largest = static_cast<double>(std::numeric_limits<at::Half>::max());
    const double limit = at::isinf(hidden).any().item<bool>() ? largest - 1000 : largest;
    hidden.clamp_(-limit, limit);
}

} // namespace

std::int64_t relative_position_bucket(std::int64_t distance, std::int64_t buckets,
                                      std::int64_t max_distance) {
    const std::int64_t half = buckets / 2, exact = half / 2;
    const std::int64_t size = std::abs(distance);
    return (distance > 0 ? half : 0) + (size < exact ? size : far_bucket(size, exact, half, max_distance));
}

std::vector<WeightSpec> t5_weights(const T5Config& config, at::ScalarType dtype) {
    const std::int64_t width = config.d_model, inner = config.num_heads * config.d_kv;
    const auto last = dtype == at::kHalf ? WeightPrecision::Float32 : WeightPrecision::Model;
    std::vector<WeightSpec> specs{
        {kEmbedding, {config.vocab_size, width}, WeightPrecision::Model, "encoder.embed_tokens.weight"},
        {kFinalNorm, {width}}};
    for (std::int64_t number = 0; number < config.num_layers; ++number) {
        const std::string attention = layer_name(number, 0), feed = layer_name(number, 1);
        specs.push_back({attention + "layer_norm.weight", {width}});
        for (const char* part : {"q", "k", "v"})
            specs.push_back({attention + "SelfAttention." + part + ".weight", {inner, width}});
        specs.push_back({attention + "SelfAttention.o.weight", {width, inner}});
        specs.push_back({attention + "SelfAttention.relative_attention_bias.weight",
                         {config.relative_attention_num_buckets, config.num_heads}});
        specs.push_back({feed + "layer_norm.weight", {width}});
        specs.push_back({feed + "DenseReluDense.wi_0.weight", {config.d_ff, width}});
        specs.push_back({feed + "DenseReluDense.wi_1.weight", {config.d_ff, width}});
        specs.push_back({feed + "DenseReluDense.wo.weight", {width, config.d_ff}, last});
    }
    return specs;
}

T5Encoder::Layer::Layer(std::int64_t number, WeightMap& weights)
    : attention_norm(weights.take(layer_name(number, 0) + "layer_norm.weight")),
      query(weights, layer_name(number, 0) + "SelfAttention.q", nn::Bias::None),
      key(weights, layer_name(number, 0) + "SelfAttention.k", nn::Bias::None),
      value(weights, layer_name(number, 0) + "SelfAttention.v", nn::Bias::None),
      output(weights, layer_name(number, 0) + "SelfAttention.o", nn::Bias::None),
      position_bias(weights.take(layer_name(number, 0) + "SelfAttention.relative_attention_bias.weight")),
      feed_norm(weights.take(layer_name(number, 1) + "layer_norm.weight")),
      gate(weights, layer_name(number, 1) + "DenseReluDense.wi_0", nn::Bias::None),
      expand(weights, layer_name(number, 1) + "DenseReluDense.wi_1", nn::Bias::None),
      contract(weights, layer_name(number, 1) + "DenseReluDense.wo", nn::Bias::None) {}

T5Encoder::T5Encoder(const T5Config& config, WeightMap weights, at::ScalarType dtype)
    : config_(config), embedding_(weights.take(kEmbedding)), final_norm_(weights.take(kFinalNorm)) {
    REELMESH_CHECK(embedding_.scalar_type() == dtype);
    layers_.reserve(static_cast<std::size_t>(config.num_layers));
    for (std::int64_t number = 0; number < config.num_layers; ++number)
        layers_.emplace_back(number, weights);
    REELMESH_CHECK(weights.empty());
}

at::Tensor T5Encoder::encode(const std::vector<std::int64_t>& ids, RankContext& context) const {
    const double eps = config_.layer_norm_epsilon;
    at::Tensor hidden = embedding_.index_select(0, at::tensor(ids, at::kLong).to(embedding_.device()));
    const at::Tensor buckets = this->buckets(hidden.size(0));
    for (std::size_t number = 0; number < layers_.size(); ++number) {
        const RankContext::Block work(context, static_cast<int>(number), EventWork::Text);
        const Layer& layer = layers_[number];
        hidden = hidden + attend(layer, ops::rms_norm_then_scale(hidden, layer.attention_norm, eps), buckets);
        clip_half(hidden);
        hidden = hidden + feed_forward(layer, ops::rms_norm_then_scale(hidden, layer.feed_norm, eps));
        clip_half(hidden);
    }
    return ops::rms_norm_then_scale(hidden, final_norm_, eps);
}

at::Tensor T5Encoder::buckets(std::int64_t tokens) const {
    std::vector<std::int64_t> values;
    values.reserve(static_cast<std::size_t>(tokens * tokens));
    for (std::int64_t query = 0; query < tokens; ++query)
        for (std::int64_t key = 0; key < tokens; ++key)
            values.push_back(relative_position_bucket(key - query, config_.relative_attention_num_buckets,
                                                      config_.relative_attention_max_distance));
    return at::tensor(values, at::kLong).to(embedding_.device());
}

at::Tensor T5Encoder::attend(const Layer& layer, const at::Tensor& rows, const at::Tensor& buckets) const {
    const at::Tensor queries = layer.query(rows), keys = layer.key(rows), values = layer.value(rows);
    const at::Tensor merged = at::empty_like(values);
    ops::for_each_tile(rows.device(), config_.num_heads, [&](std::int64_t head) {
        const auto of_head = [&](const at::Tensor& all) {
            return all.narrow(1, head * config_.d_kv, config_.d_kv);
        };
        const at::Tensor bias = layer.position_bias.select(1, head).index_select(0, buckets);
        const at::Tensor scores =
            at::mm(of_head(queries), of_head(keys).t()).add_(bias.view({rows.size(0), -1}));
        const at::Tensor weights = at::softmax(scores, -1, at::kFloat).to(scores.scalar_type());
        of_head(merged).copy_(at::mm(weights, of_head(values)));
    });
    return layer.output(merged);
}

at::Tensor T5Encoder::feed_forward(const Layer& layer, const at::Tensor& rows) const {
    at::Tensor inner = layer.gate(rows);
    const at::Tensor expanded = layer.expand(rows);
    ops::for_each_row_block(rows.device(), rows.size(0), [&](std::int64_t first, std::int64_t count) {
        at::Tensor part = inner.narrow(0, first, count);
        at::gelu_(part, "tanh").mul_(expanded.narrow(0, first, count));
    });
    return layer.contract(inner.to(layer.contract.dtype()));
}

} // namespace reelmesh
