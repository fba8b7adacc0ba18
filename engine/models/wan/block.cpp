#include "models/wan/block.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>

#include <string>

#include "ops/fixed_tiles.h"
#include "ops/layer_norm_modulate.h"
#include "ops/rotary_3d.h"

namespace reelmesh::wan {

namespace {

enum ModulationPart { kShiftAttention, kScaleAttention, kGateAttention, kShiftFeed, kScaleFeed, kGateFeed };

std::string block_name(std::int64_t layer) {
    return "blocks." + std::to_string(layer) + ".";
}

// The sum is made in float32 and rounded once.
void add_gated(at::Tensor hidden, const at::Tensor& update, const at::Tensor& gate) {
    hidden.copy_(at::addcmul(hidden.to(at::kFloat), update.to(at::kFloat), gate));
}

} // namespace

Block::Block(const WanTransformerConfig& config, std::int64_t layer, WeightMap& weights)
    : eps_(config.eps), scale_shift_table_(weights.take(block_name(layer) + "scale_shift_table")),
      self_attention_(config, block_name(layer) + "attn1", weights),
      cross_attention_(config, block_name(layer) + "attn2", weights),
      expand_(weights, block_name(layer) + "ffn.net.0.proj"),
      contract_(weights, block_name(layer) + "ffn.net.2") {
    if (!config.cross_attn_norm) return;
    cross_norm_weight_ = weights.take(block_name(layer) + "norm2.weight");
    cross_norm_bias_ = weights.take(block_name(layer) + "norm2.bias");
}

KeysAndValues Block::project_context(const at::Tensor& text) const {
    return {cross_attention_.split_heads(cross_attention_.keys(text)),
            cross_attention_.split_heads(cross_attention_.values(text))};
}

at::Tensor Block::modulation(const TimeCodes& times, std::int64_t first, std::int64_t count) const {
    return scale_shift_table_ + times.of_rows(times.modulation, first, count);
}

at::Tensor Block::norm_before_cross(const at::Tensor& rows) const {
    if (!cross_norm_weight_.defined()) return rows;
    return at::layer_norm(rows.to(at::kFloat), {rows.size(-1)}, cross_norm_weight_, cross_norm_bias_, eps_)
        .to(rows.scalar_type());
}

at::Tensor Block::feed_forward(const at::Tensor& rows) const {
    at::Tensor inner = expand_(rows);
    return contract_(at::gelu_(inner, "tanh"));
}

void Block::forward(const TokenBuffers& buffers, const TimeCodes& times, const at::Tensor& phases,
                    const KeysAndValues& context) const {
    const std::int64_t tokens = buffers.hidden.size(0);
    const at::Device device = buffers.hidden.device();
    ops::for_each_row_block(device, tokens, [&](std::int64_t first, std::int64_t count) {
        const at::Tensor modulation = this->modulation(times, first, count);
        const at::Tensor rows = ops::layer_norm_modulate(buffers.hidden.narrow(0, first, count),
                                                         modulation.select(1, kShiftAttention),
                                                         modulation.select(1, kScaleAttention), eps_);
        const at::Tensor turns = phases.narrow(0, first, count);
        buffers.queries.narrow(0, first, count)
            .copy_(ops::rotate_pairs(self_attention_.queries(rows), turns));
        buffers.keys.narrow(0, first, count).copy_(ops::rotate_pairs(self_attention_.keys(rows), turns));
        self_attention_.values_into(buffers.values.narrow(0, first, count), rows);
    });
    const at::Tensor attended =
        self_attention_.attend(buffers.queries, {self_attention_.split_heads(buffers.keys),
                                                 self_attention_.split_heads(buffers.values)});
    ops::for_each_row_block(device, tokens, [&](std::int64_t first, std::int64_t count) {
        const at::Tensor modulation = this->modulation(times, first, count);
        at::Tensor hidden = buffers.hidden.narrow(0, first, count);
        add_gated(hidden, self_attention_.output(attended.narrow(0, first, count)),
                  modulation.select(1, kGateAttention));
        hidden.add_(cross_attention_.output(
            cross_attention_.attend(cross_attention_.queries(norm_before_cross(hidden)), context)));
        const at::Tensor rows = ops::layer_norm_modulate(hidden, modulation.select(1, kShiftFeed),
                                                         modulation.select(1, kScaleFeed), eps_);
        add_gated(hidden, feed_forward(rows), modulation.select(1, kGateFeed));
    });
}

} // namespace reelmesh::wan
