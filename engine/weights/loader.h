// Check first, then copy: a model's weights against its specs, and from disk into tensors.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

#include "weights/component_files.h"
#include "weights/weight_spec.h"

namespace reelmesh {

struct WeightCheck {
    std::vector<std::string>
        problems; ///< a line a weight: "blocks.0.ffn... [96, 64], needed [96, 48]", or "... is missing"
    std::vector<std::string> unmatched; ///< foreign tensors, ascending
    std::uint64_t parameters = 0;       ///< elements of the matched weights
};
/// Compares names and shapes. Types that hold no plain numbers (fp8, integers) count as problems.
WeightCheck check_weights(const std::vector<WeightSpec>& specs, const ComponentFiles& files);
/// The same, but throws one WeightMismatch that lists every problem.
void require_weights(const std::vector<WeightSpec>& specs, const ComponentFiles& files);

struct LoadOptions {
    at::ScalarType model_dtype = at::kFloat; ///< of WeightPrecision::Model
    int threads = 1;                         ///< readers, each with at most 16 MiB of staging
    std::function<bool()> should_stop;       ///< asked at least every 100 ms; true throws Canceled
    std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)> progress; ///< any reader thread
};

/// Weights by name; each is taken exactly once by the module that owns it.
class WeightMap {
public:
    void put(const std::string& name, at::Tensor tensor);
    /// Internal error if the name is absent or was taken before.
    at::Tensor take(const std::string& name);
    /// The same weights on a device; those that are there already are shared.
    WeightMap on(c10::Device device) const;
    bool empty() const { return tensors_.empty(); }
    std::size_t size() const { return tensors_.size(); }

private:
    std::unordered_map<std::string, at::Tensor> tensors_;
};

/// Reads every spec's weight in parallel, converting to its precision on the way (one copy of each byte where
/// the stored type is the wanted one). The specs must have passed require_weights.
WeightMap load_weights(const std::vector<WeightSpec>& specs, const ComponentFiles& files,
                       const LoadOptions& options);

} // namespace reelmesh
