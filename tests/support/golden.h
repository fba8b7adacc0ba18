// Reference tensors for tests, and the distance that they are compared by.
#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "weights/loader.h"
#include "weights/tensor_io.h"

namespace reelmesh::testing {

/// Path below tests/data/goldens.
inline std::string golden_path(const std::string& path) {
    return REELMESH_TEST_DATA "/goldens/" + path;
}

/// A tensor of any shape: integers as int64, all else as float32.
inline at::Tensor read_stored(const std::string& path, const std::string& key) {
    const SafetensorsFile file(path);
    const TensorEntry& entry = file.tensors().at(key);
    if (entry.dtype != "I64") return read_tensor(path, key, entry.shape);
    const at::Tensor tensor = at::empty(entry.shape, at::kLong);
    file.read(entry, 0, tensor.mutable_data_ptr(), entry.num_bytes());
    return tensor;
}

/// The same from tests/data/goldens/FILE.safetensors.
inline at::Tensor read_golden(const std::string& file, const std::string& key) {
    return read_stored(golden_path(file + ".safetensors"), key);
}

/// Integers in a row.
inline std::vector<std::int64_t> read_golden_ids(const std::string& file, const std::string& key) {
    const at::Tensor ids = read_golden(file, key);
    return {ids.data_ptr<std::int64_t>(), ids.data_ptr<std::int64_t>() + ids.numel()};
}

/// Loads what the specs name from a component's folder.
inline WeightMap load_component(const std::string& folder, const std::string& stem,
                                const std::vector<WeightSpec>& specs, at::ScalarType dtype) {
    const auto files = ComponentFiles::open(folder, stem);
    require_weights(specs, *files);
    LoadOptions options;
    options.model_dtype = dtype;
    options.should_stop = [] { return false; };
    options.progress = [](std::uint64_t, std::uint64_t) {};
    return load_weights(specs, *files, options);
}

/// ||actual - expected|| / ||expected||, in float64. Shapes must agree but for axes of length one.
inline double relative_l2(const at::Tensor& actual, const at::Tensor& expected) {
    const at::Tensor a = actual.to(at::kDouble).squeeze(), e = expected.to(at::kDouble).squeeze();
    EXPECT_EQ(a.sizes(), e.sizes());
    if (a.sizes() != e.sizes()) return HUGE_VAL;
    return ((a - e).norm() / e.norm()).item<double>();
}

/// Weights after the fill rule of the reference's self-tests: sines whose phase is the place of the name in
/// the order of all names.
inline WeightMap filled_weights(const std::vector<WeightSpec>& specs) {
    std::map<std::string, WeightSpec> sorted;
    for (const WeightSpec& spec : specs)
        sorted[spec.name] = spec;
    WeightMap weights;
    std::int64_t place = 0;
    for (const auto& [name, spec] : sorted) {
        std::int64_t elements = 1;
        for (const std::int64_t size : spec.shape)
            elements *= size;
        const at::Tensor wave =
            at::sin(at::arange(elements, at::kDouble) * 0.37 + 1.3 * static_cast<double>(++place));
        const double columns = static_cast<double>(elements) / static_cast<double>(spec.shape.front());
        at::Tensor values = wave / std::sqrt(columns);
        const bool is_norm = name.find("norm") != std::string::npos && name.ends_with(".weight");
        if (is_norm || name.ends_with(".gamma"))
            values = wave * 0.1 + 1;
        else if (name.ends_with(".bias"))
            values = wave * 0.1;
        else if (name.ends_with("scale_shift_table"))
            values = wave * 0.2;
        weights.put(name, values.view(spec.shape).to(at::kFloat));
    }
    return weights;
}

/// The self-tests' inputs: sin(step * j + start).
inline at::Tensor wave_input(const std::vector<std::int64_t>& shape, double step = 0.11, double start = 0.5) {
    return at::sin(at::arange(c10::multiply_integers(shape), at::kDouble) * step + start)
        .view(shape)
        .to(at::kFloat);
}

} // namespace reelmesh::testing
