#include "models/wan/transformer.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/silu.h>

#include "base/check.h"
#include "nn/timestep_code.h"
#include "ops/fixed_tiles.h"
#include "ops/layer_norm_modulate.h"

namespace reelmesh::wan {

namespace {

nn::Linear take_patch_embedding(WeightMap& weights) {
    return {weights.take("patch_embedding.weight").flatten(1), weights.take("patch_embedding.bias")};
}

// Stored with the channel as the fastest index inside a token, used with the channel as the slowest.
at::Tensor channel_first(const at::Tensor& stored, std::int64_t channels) {
    return stored.unflatten(0, {-1, channels}).transpose(0, 1).flatten(0, 1).contiguous();
}

nn::Linear take_output(WeightMap& weights, std::int64_t channels) {
    return {channel_first(weights.take("proj_out.weight"), channels),
            channel_first(weights.take("proj_out.bias"), channels)};
}

} // namespace

Transformer::Transformer(const WanTransformerConfig& config, WeightMap weights, at::ScalarType dtype)
    : config_(config), dtype_(dtype), patch_embedding_(take_patch_embedding(weights)),
      time_1_(weights, "condition_embedder.time_embedder.linear_1"),
      time_2_(weights, "condition_embedder.time_embedder.linear_2"),
      time_projection_(weights, "condition_embedder.time_proj"),
      text_1_(weights, "condition_embedder.text_embedder.linear_1"),
      text_2_(weights, "condition_embedder.text_embedder.linear_2"),
      output_(take_output(weights, config.out_channels)),
      scale_shift_table_(weights.take("scale_shift_table")) {
    blocks_.reserve(static_cast<std::size_t>(config.num_layers));
    for (std::int64_t layer = 0; layer < config.num_layers; ++layer)
        blocks_.emplace_back(config, layer, weights);
    REELMESH_CHECK(weights.empty());
}

std::shared_ptr<const Transformer> Transformer::share(const RankContext& context) const {
    auto share = std::make_shared<Transformer>(*this);
    const int parts = context.shape().degree(Axis::Tensor);
    if (parts > 1)
        for (Block& block : share->blocks_)
            block = block.part(context.coordinate(Axis::Tensor), parts);
    return share;
}

TokenBuffers Transformer::make_buffers(const SequenceSplit& split, RankContext& context) const {
    const at::TensorOptions options = scale_shift_table_.options().dtype(dtype_);
    const std::int64_t tokens = split.count(),
                       heads = config_.num_attention_heads / context.shape().degree(Axis::Tensor);
    TokenBuffers buffers;
    buffers.hidden = at::empty({tokens, config_.width()}, options);
    buffers.sequence = std::make_shared<SequenceParallel>(
        split, AttentionShape{heads, config_.attention_head_dim, options}, context);
    if (!context.has_group(Axis::Tensor)) return buffers;
    buffers.partial = at::empty({tokens, config_.width()}, options);
    buffers.squares = at::empty({tokens, 2}, options.dtype(at::kFloat));
    buffers.queries = at::empty({tokens, heads * config_.attention_head_dim}, options);
    return buffers;
}

TimeCodes Transformer::embed_times(const TokenTimes& times) const {
    // The code where the times are: a device's own exponential is a rounding away from the processor's. The
    // host does not wait for the copy: it runs ahead of the device.
    const at::Tensor code = nn::timestep_code(times.values, config_.freq_dim)
                                .to(scale_shift_table_.device(), time_1_.dtype(), /*non_blocking=*/true);
    at::Tensor embedded = time_1_(code);
    embedded = time_2_(at::silu_(embedded)).to(dtype_);
    return {embedded, time_projection_(at::silu(embedded)).to(at::kFloat).view({-1, 6, config_.width()}),
            times.index};
}

at::Tensor Transformer::project_text(const at::Tensor& text) const {
    at::Tensor embedded =
        at::empty({text.size(0), config_.width()}, scale_shift_table_.options().dtype(dtype_));
    ops::for_each_row_block(text.device(), text.size(0), [&](std::int64_t first, std::int64_t count) {
        at::Tensor inner = text_1_(text.narrow(0, first, count).to(dtype_));
        text_2_.into(embedded.narrow(0, first, count), at::gelu_(inner, "tanh"));
    });
    return embedded;
}

std::vector<KeysAndValues> Transformer::project_context(const at::Tensor& text, RankContext& context) const {
    const at::Tensor embedded = project_text(text);
    std::vector<KeysAndValues> contexts;
    contexts.reserve(blocks_.size());
    for (const Block& block : blocks_)
        contexts.push_back(block.project_context(embedded, context));
    return contexts;
}

void Transformer::embed_patches(const at::Tensor& hidden, const at::Tensor& latents) const {
    patch_embedding_.into(hidden, latents.to(dtype_));
}

at::Tensor Transformer::head_norm(const at::Tensor& hidden, const TimeCodes& times, std::int64_t first,
                                  std::int64_t count) const {
    const at::Tensor modulation =
        scale_shift_table_ + times.of_rows(times.embedding, first, count).unsqueeze(1).to(at::kFloat);
    return ops::layer_norm_modulate(hidden.narrow(0, first, count), modulation.select(1, 0),
                                    modulation.select(1, 1), config_.eps);
}

at::Tensor Transformer::velocity(const at::Tensor& latents, const TokenTimes& times, const at::Tensor& phases,
                                 const std::vector<KeysAndValues>& contexts, const TokenBuffers& buffers,
                                 RankContext& context, int branch) const {
    const TimeCodes codes = embed_times(times);
    embed_patches(buffers.hidden, latents);
    for (std::size_t layer = 0; layer < blocks_.size(); ++layer) {
        const RankContext::Block work(context, static_cast<int>(layer), EventWork::Attention, branch);
        blocks_[layer].forward(buffers, codes, phases, contexts[layer], context);
    }
    const std::int64_t tokens = latents.size(0);
    const auto [pt, ph, pw] = config_.patch_size;
    at::Tensor velocity = at::empty({tokens, config_.out_channels * pt * ph * pw}, latents.options());
    ops::for_each_row_block(latents.device(), tokens, [&](std::int64_t first, std::int64_t count) {
        velocity.narrow(0, first, count).copy_(output_(head_norm(buffers.hidden, codes, first, count)));
    });
    return velocity;
}

} // namespace reelmesh::wan
