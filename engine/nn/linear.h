// A linear layer: out = x weight^T + bias. Immutable, any thread. On a CPU it is cut into fixed
// tiles, so that its result does not depend on the number of threads.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "weights/loader.h"

namespace reelmesh::nn {

enum class Bias { None, Present };

class Linear {
public:
    /// weight [out, in], bias [out] or undefined.
    Linear(at::Tensor weight, at::Tensor bias);
    /// Takes NAME.weight and NAME.bias.
    Linear(WeightMap& weights, const std::string& name, Bias bias = Bias::Present);

    /// x [rows, in] in the weight's type; returns [rows, out].
    at::Tensor operator()(const at::Tensor& x) const;
    /// The same into rows of a larger tensor.
    void into(const at::Tensor& out, const at::Tensor& x) const;
    at::ScalarType dtype() const { return weight_.scalar_type(); }

    /// A tensor-parallel rank's share, as views: part of the outputs with their biases ...
    Linear column_part(int part, int parts) const;
    /// ... or of the inputs, without the bias, which is added once to the sum over the ranks.
    Linear row_part(int part, int parts) const;
    /// [out]; undefined: none.
    const at::Tensor& bias() const { return bias_; }

private:
    at::Tensor weight_, bias_;
};

} // namespace reelmesh::nn
