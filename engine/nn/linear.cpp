#include "nn/linear.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "ops/fixed_tiles.h"

namespace reelmesh::nn {

namespace {

constexpr std::int64_t kTileColumns = 512;

void multiply(at::Tensor out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
    if (bias.defined())
        at::addmm_out(out, bias, x, weight.t());
    else
        at::mm_out(out, x, weight.t());
}

} // namespace

Linear::Linear(at::Tensor weight, at::Tensor bias) : weight_(std::move(weight)), bias_(std::move(bias)) {}

Linear::Linear(WeightMap& weights, const std::string& name, Bias bias)
    : weight_(weights.take(name + ".weight")) {
    if (bias == Bias::Present) bias_ = weights.take(name + ".bias");
}

Linear Linear::column_part(int part, int parts) const {
    const std::int64_t count = weight_.size(0) / parts;
    REELMESH_CHECK(count * parts == weight_.size(0));
    return {weight_.narrow(0, part * count, count),
            bias_.defined() ? bias_.narrow(0, part * count, count) : bias_};
}

Linear Linear::row_part(int part, int parts) const {
    const std::int64_t count = weight_.size(1) / parts;
    REELMESH_CHECK(count * parts == weight_.size(1));
    return {weight_.narrow(1, part * count, count), {}};
}

at::Tensor Linear::operator()(const at::Tensor& x) const {
    at::Tensor out = at::empty({x.size(0), weight_.size(0)}, weight_.options());
    into(out, x);
    return out;
}

void Linear::into(const at::Tensor& out, const at::Tensor& x) const {
    if (!x.device().is_cpu()) return multiply(out, x, weight_, bias_);
    const std::int64_t rows = x.size(0), columns = weight_.size(0);
    const std::int64_t row_tiles = (rows + ops::kRowBlock - 1) / ops::kRowBlock;
    const std::int64_t column_tiles = (columns + kTileColumns - 1) / kTileColumns;
    ops::for_each_tile(row_tiles * column_tiles, [&](std::int64_t tile) {
        const std::int64_t row = tile % row_tiles * ops::kRowBlock, column = tile / row_tiles * kTileColumns;
        const std::int64_t num_rows = std::min(ops::kRowBlock, rows - row);
        const std::int64_t num_columns = std::min(kTileColumns, columns - column);
        multiply(out.narrow(0, row, num_rows).narrow(1, column, num_columns), x.narrow(0, row, num_rows),
                 weight_.narrow(0, column, num_columns),
                 bias_.defined() ? bias_.narrow(0, column, num_columns) : bias_);
    });
}

} // namespace reelmesh::nn
