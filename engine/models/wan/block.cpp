#include "models/wan/block.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/addcmul.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>

#include <string>

#include "models/wan/part_times.h"
#include "ops/fixed_tiles.h"
#include "ops/layer_norm_modulate.h"
#include "ops/rms_norm.h"
#include "ops/rotary_3d.h"
#include "parallel/redistribute.h"

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
    : layer_(static_cast<int>(layer)), eps_(config.eps),
      scale_shift_table_(weights.take(block_name(layer) + "scale_shift_table")),
      self_attention_(config, block_name(layer) + "attn1", weights),
      cross_attention_(config, block_name(layer) + "attn2", weights),
      expand_(weights, block_name(layer) + "ffn.net.0.proj"),
      contract_(weights, block_name(layer) + "ffn.net.2"), contract_bias_(contract_.bias()) {
    if (!config.cross_attn_norm) return;
    cross_norm_weight_ = weights.take(block_name(layer) + "norm2.weight");
    cross_norm_bias_ = weights.take(block_name(layer) + "norm2.bias");
}

Block Block::part(int part, int parts) const {
    Block share = *this;
    share.self_attention_ = self_attention_.part(part, parts);
    share.cross_attention_ = cross_attention_.part(part, parts);
    share.expand_ = expand_.column_part(part, parts);
    share.contract_ = contract_.row_part(part, parts);
    return share;
}

void Block::sum_over_ranks(const at::Tensor& partial, ExchangePurpose purpose, RankContext& context) const {
    redistribute({partial, Placement::partial_sum(Axis::Tensor)}, Placement::whole(), context,
                 {purpose, layer_});
}

KeysAndValues Block::project_context(const at::Tensor& text, RankContext& context) const {
    const at::Tensor keys = cross_attention_.keys(text);
    at::Tensor squares;
    if (context.has_group(Axis::Tensor)) {
        squares = ops::sums_of_squares(keys);
        sum_over_ranks(squares, ExchangePurpose::NormSum, context);
    }
    return {cross_attention_.split_heads(cross_attention_.norm_keys(keys, squares)),
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

void Block::project(const TokenBuffers& buffers, const TimeCodes& times, const at::Tensor& phases,
                    RankContext& context) const {
    const std::int64_t tokens = buffers.hidden.size(0);
    const at::Device device = buffers.hidden.device();
    const at::Tensor queries = buffers.sequence->rows(0), keys = buffers.sequence->rows(1),
                     values = buffers.sequence->rows(2);
    const bool is_share = context.has_group(Axis::Tensor);
    const auto norm_and_turn = [&](std::int64_t first, std::int64_t count) {
        const at::Tensor turns = phases.narrow(0, first, count);
        at::Tensor own_queries = queries.narrow(0, first, count), own_keys = keys.narrow(0, first, count);
        at::Tensor query_squares, key_squares;
        if (is_share) {
            query_squares = buffers.squares.narrow(0, first, count).narrow(1, 0, 1);
            key_squares = buffers.squares.narrow(0, first, count).narrow(1, 1, 1);
        }
        own_queries.copy_(ops::rotate_pairs(self_attention_.norm_queries(own_queries, query_squares), turns));
        own_keys.copy_(ops::rotate_pairs(self_attention_.norm_keys(own_keys, key_squares), turns));
    };
    {
        PartTimes parts(context, layer_, {BlockPart::Norm, BlockPart::QkvLinear, BlockPart::Norm});
        ops::for_each_row_block(device, tokens, [&](std::int64_t first, std::int64_t count) {
            PartTimes::Tile tile(parts);
            const at::Tensor modulation = this->modulation(times, first, count);
            const at::Tensor rows = ops::layer_norm_modulate(buffers.hidden.narrow(0, first, count),
                                                             modulation.select(1, kShiftAttention),
                                                             modulation.select(1, kScaleAttention), eps_);
            tile.next();
            self_attention_.queries_into(queries.narrow(0, first, count), rows);
            self_attention_.keys_into(keys.narrow(0, first, count), rows);
            self_attention_.values_into(values.narrow(0, first, count), rows);
            tile.next();
            if (!is_share) return norm_and_turn(first, count);
            at::Tensor squares = buffers.squares.narrow(0, first, count);
            squares.narrow(1, 0, 1).copy_(ops::sums_of_squares(queries.narrow(0, first, count)));
            squares.narrow(1, 1, 1).copy_(ops::sums_of_squares(keys.narrow(0, first, count)));
        });
    }
    if (!is_share) return;
    sum_over_ranks(buffers.squares, ExchangePurpose::NormSum, context);
    const RankContext::Part part(context, BlockPart::Norm, layer_);
    ops::for_each_row_block(device, tokens, norm_and_turn);
}

void Block::finish(const TokenBuffers& buffers, const at::Tensor& attended, const TimeCodes& times,
                   const KeysAndValues& text, RankContext& context) const {
    PartTimes parts(context, layer_,
                    {BlockPart::OutLinear, BlockPart::CrossAttention, BlockPart::Norm, BlockPart::Mlp});
    ops::for_each_row_block(
        buffers.hidden.device(), buffers.hidden.size(0), [&](std::int64_t first, std::int64_t count) {
            PartTimes::Tile tile(parts);
            const at::Tensor modulation = this->modulation(times, first, count);
            at::Tensor hidden = buffers.hidden.narrow(0, first, count);
            add_gated(hidden, self_attention_.output(attended.narrow(0, first, count)),
                      modulation.select(1, kGateAttention));
            tile.next();
            // Nothing of it stays beside the feed-forward layer: on a device these are all rows.
            hidden.add_(cross_attention_.output(cross_attention_.attend(
                cross_attention_.norm_queries(cross_attention_.queries(norm_before_cross(hidden))), text)));
            tile.next();
            const at::Tensor rows = ops::layer_norm_modulate(hidden, modulation.select(1, kShiftFeed),
                                                             modulation.select(1, kScaleFeed), eps_);
            tile.next();
            add_gated(hidden, feed_forward(rows), modulation.select(1, kGateFeed));
        });
}

// The same with the ranks' sums in between; each bias is added once, to the sum.
void Block::finish_share(const TokenBuffers& buffers, const at::Tensor& attended, const TimeCodes& times,
                         const KeysAndValues& text, RankContext& context) const {
    const std::int64_t tokens = buffers.hidden.size(0);
    const at::Device device = buffers.hidden.device();
    const at::Tensor squares = buffers.squares.flatten().narrow(0, 0, tokens).view({tokens, 1});
    const auto rows_of = [](const at::Tensor& whole, std::int64_t first, std::int64_t count) {
        return whole.narrow(0, first, count);
    };

    const auto pass = [&](BlockPart kind, const auto& rows) {
        const RankContext::Part part(context, kind, layer_);
        ops::for_each_row_block(device, tokens, rows);
    };

    pass(BlockPart::OutLinear, [&](std::int64_t first, std::int64_t count) {
        self_attention_.output_into(rows_of(buffers.partial, first, count), rows_of(attended, first, count));
    });
    sum_over_ranks(buffers.partial, ExchangePurpose::TensorSum, context);
    pass(BlockPart::CrossAttention, [&](std::int64_t first, std::int64_t count) {
        at::Tensor hidden = rows_of(buffers.hidden, first, count);
        add_gated(hidden, rows_of(buffers.partial, first, count) + self_attention_.output_bias(),
                  modulation(times, first, count).select(1, kGateAttention));
        const at::Tensor queries = rows_of(buffers.queries, first, count);
        cross_attention_.queries_into(queries, norm_before_cross(hidden));
        at::Tensor own_squares = rows_of(squares, first, count);
        own_squares.copy_(ops::sums_of_squares(queries));
    });
    sum_over_ranks(squares, ExchangePurpose::NormSum, context);
    pass(BlockPart::CrossAttention, [&](std::int64_t first, std::int64_t count) {
        const at::Tensor queries = cross_attention_.norm_queries(rows_of(buffers.queries, first, count),
                                                                 rows_of(squares, first, count));
        cross_attention_.output_into(rows_of(buffers.partial, first, count),
                                     cross_attention_.attend(queries, text));
    });
    sum_over_ranks(buffers.partial, ExchangePurpose::TensorSum, context);
    pass(BlockPart::Mlp, [&](std::int64_t first, std::int64_t count) {
        const at::Tensor modulation = this->modulation(times, first, count);
        at::Tensor hidden = rows_of(buffers.hidden, first, count);
        at::Tensor partial = rows_of(buffers.partial, first, count);
        hidden.add_(partial + cross_attention_.output_bias());
        const at::Tensor rows = ops::layer_norm_modulate(hidden, modulation.select(1, kShiftFeed),
                                                         modulation.select(1, kScaleFeed), eps_);
        partial.copy_(feed_forward(rows));
    });
    sum_over_ranks(buffers.partial, ExchangePurpose::TensorSum, context);
    pass(BlockPart::Mlp, [&](std::int64_t first, std::int64_t count) {
        add_gated(rows_of(buffers.hidden, first, count),
                  rows_of(buffers.partial, first, count) + contract_bias_,
                  modulation(times, first, count).select(1, kGateFeed));
    });
}

void Block::forward(const TokenBuffers& buffers, const TimeCodes& times, const at::Tensor& phases,
                    const KeysAndValues& text, RankContext& context) const {
    project(buffers, times, phases, context);
    const at::Tensor attended = buffers.sequence->attend(self_attention_.scale(), layer_, context);
    if (context.has_group(Axis::Tensor))
        finish_share(buffers, attended, times, text, context);
    else
        finish(buffers, attended, times, text, context);
}

} // namespace reelmesh::wan
