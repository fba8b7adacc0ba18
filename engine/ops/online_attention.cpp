#include "ops/online_attention.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "ops/attention.h"
#include "ops/fixed_tiles.h"

namespace reelmesh::ops {
namespace {

constexpr std::int64_t kKeyBlock = 512; ///< scores of a row block and so many keys stay in a core's cache

/// exp(from - to) where from <= to; rows that saw nothing yet (both -infinity) weigh zero.
at::Tensor decay(const at::Tensor& from, const at::Tensor& to) {
    return at::exp(from - to).nan_to_num_(0);
}

} // namespace

OnlineAttention::OnlineAttention(const at::Tensor& query, double scale)
    : query_(query), scale_(scale), output_(at::zeros(query.sizes(), query.options().dtype(at::kFloat))),
      maximum_(at::full({query.size(1), query.size(0)}, -std::numeric_limits<double>::infinity(),
                        output_.options())),
      sum_(at::zeros_like(maximum_)) {}

void OnlineAttention::add(const at::Tensor& key, const at::Tensor& value) {
    // Halved types and other devices have kernels whose products are worth more than this one's exact sums.
    if (!query_.device().is_cpu() || query_.scalar_type() != at::kFloat) {
        const auto by_head = [](const at::Tensor& rows) { return rows.transpose(0, 1); };
        const auto [output, log_sums] =
            attention_with_sums(by_head(query_), by_head(key), by_head(value), scale_);
        return add_partial(output.transpose(0, 1), log_sums);
    }
    const std::int64_t tokens = query_.size(0), heads = query_.size(1), keys = key.size(0);
    const std::int64_t row_blocks = (tokens + kRowBlock - 1) / kRowBlock;
    for_each_tile(heads * row_blocks, [&](std::int64_t tile) {
        const std::int64_t head = tile / row_blocks, first = tile % row_blocks * kRowBlock;
        const std::int64_t count = std::min(kRowBlock, tokens - first);
        const at::Tensor query = query_.select(1, head).narrow(0, first, count) * scale_;
        at::Tensor output = output_.select(1, head).narrow(0, first, count).contiguous();
        at::Tensor maximum = maximum_[head].narrow(0, first, count).unsqueeze(1);
        at::Tensor sum = sum_[head].narrow(0, first, count).unsqueeze(1);
        for (std::int64_t start = 0; start < keys; start += kKeyBlock) {
            const std::int64_t length = std::min(kKeyBlock, keys - start);
            at::Tensor scores = at::mm(query, key.select(1, head).narrow(0, start, length).t());
            const at::Tensor highest = at::maximum(maximum, scores.amax(1, /*keepdim=*/true));
            scores.sub_(highest).exp_();
            const at::Tensor factor = decay(maximum, highest);
            sum.mul_(factor).add_(scores.sum(1, /*keepdim=*/true));
            output.mul_(factor).addmm_(scores, value.select(1, head).narrow(0, start, length));
            maximum.copy_(highest);
        }
        output_.select(1, head).narrow(0, first, count).copy_(output);
    });
}

void OnlineAttention::add_partial(const at::Tensor& output, const at::Tensor& log_sums) {
    for_each_row_block(output_.device(), output_.size(0), [&](std::int64_t first, std::int64_t count) {
        at::Tensor maximum = maximum_.narrow(1, first, count), sum = sum_.narrow(1, first, count);
        const at::Tensor other = log_sums.narrow(1, first, count);
        const at::Tensor highest = at::maximum(maximum, other);
        const at::Tensor own_factor = decay(maximum, highest), other_factor = decay(other, highest);
        sum.mul_(own_factor).add_(other_factor);
        output_.narrow(0, first, count)
            .mul_(own_factor.t().unsqueeze(2))
            .add_(output.narrow(0, first, count).to(at::kFloat) * other_factor.t().unsqueeze(2));
        maximum.copy_(highest);
    });
}

at::Tensor OnlineAttention::result() const {
    at::Tensor result = at::empty(query_.sizes(), query_.options());
    for_each_row_block(output_.device(), output_.size(0), [&](std::int64_t first, std::int64_t count) {
        const at::Tensor sums = sum_.narrow(1, first, count).t().unsqueeze(2);
        result.narrow(0, first, count).copy_((output_.narrow(0, first, count) / sums).nan_to_num_(0));
    });
    return result;
}

} // namespace reelmesh::ops
