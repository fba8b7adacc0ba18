// What the time of each token does to a Wan transformer: usually one time for all tokens, but
// models with a time per token exist. Plain values.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace reelmesh::wan {

/// Distinct times and which of them each token has.
struct TokenTimes {
    at::Tensor values; ///< [times] float32, never rounded to the model's type
    at::Tensor index;  ///< [tokens] int64; undefined: all tokens have the first
};

/// The same, embedded.
struct TimeCodes {
    at::Tensor embedding;  ///< [times, width], model type
    at::Tensor modulation; ///< [times, 6, width] float32
    at::Tensor index;

    /// Of [times, ...], the entries of consecutive tokens: [count, ...], or [1, ...] where all are the same.
    at::Tensor of_rows(const at::Tensor& by_time, std::int64_t first, std::int64_t count) const {
        return index.defined() ? by_time.index_select(0, index.narrow(0, first, count)) : by_time;
    }
};

} // namespace reelmesh::wan
