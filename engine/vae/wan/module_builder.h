// Where the VAE's modules get their weights while they are constructed. Taken from a WeightMap they make a
// working network; recorded, the same constructors state what the files must hold, so that names and shapes
// stand once. One thread; lives during construction only.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "vae/frame_math.h"
#include "weights/loader.h"
#include "weights/weight_spec.h"

namespace reelmesh {

class ModuleBuilder {
public:
    explicit ModuleBuilder(FrameMath math = FrameMath::Rows) : math_(math) {}
    virtual ~ModuleBuilder() = default;
    FrameMath math() const { return math_; }
    virtual at::Tensor take(const std::string& name, const std::vector<std::int64_t>& shape) = 0;
    /// A place in StreamState for a module that looks back in time.
    int new_slot() { return num_slots_++; }
    int num_slots() const { return num_slots_; }

private:
    FrameMath math_;
    int num_slots_ = 0;
};

class WeightTaker final : public ModuleBuilder {
public:
    explicit WeightTaker(WeightMap& weights, FrameMath math = FrameMath::Rows)
        : ModuleBuilder(math), weights_(weights) {}
    at::Tensor take(const std::string& name, const std::vector<std::int64_t>& shape) override;

private:
    WeightMap& weights_;
};

/// Hands out tensors without storage.
class SpecRecorder final : public ModuleBuilder {
public:
    at::Tensor take(const std::string& name, const std::vector<std::int64_t>& shape) override;
    const std::vector<WeightSpec>& specs() const { return specs_; }

private:
    std::vector<WeightSpec> specs_;
};

} // namespace reelmesh
