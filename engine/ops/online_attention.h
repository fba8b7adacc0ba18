// Attention over keys and values that come in blocks: exp(score - running maximum) and its sum are carried
// from block to block, so that the result is as exact as attention over all of them at once, and no logarithm
// of large sums is rounded in between. Equations: online softmax (Milakov and Gimelshein, 2018).
#pragma once

#include <ATen/core/Tensor.h>

namespace reelmesh::ops {

class OnlineAttention {
public:
    /// query [tokens, heads, head_dim], kept as long as this object.
    OnlineAttention(const at::Tensor& query, double scale);

    /// The next block: key and value [m, heads, head_dim] of the query's type.
    void add(const at::Tensor& key, const at::Tensor& value);
    /// softmax over all blocks so far, [tokens, heads, head_dim], rounded once to the query's type;
    /// contiguous. Rows that saw no key at all are zero.
    at::Tensor result() const;

    /// The same from another kernel's result of a block: output [tokens, heads, head_dim], normalised, and
    /// the natural logarithm of its sums [heads, tokens], float32.
    void add_partial(const at::Tensor& output, const at::Tensor& log_sums);

private:
    at::Tensor query_;
    double scale_;
    at::Tensor output_;  ///< [tokens, heads, head_dim] float32, times sum_
    at::Tensor maximum_; ///< [heads, tokens] float32
    at::Tensor sum_;     ///< of exp(score - maximum_), likewise
};

} // namespace reelmesh::ops
