// What a model needs from its files: name, shape and precision of every weight, stated before
// anything is read, so that a whole model can be checked first and loaded afterwards.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelmesh {

/// Model: the precision that was asked for. Float32: always float32, the reference's islands.
enum class WeightPrecision { Model, Float32 };

struct WeightSpec {
    std::string name; ///< as stored
    std::vector<std::int64_t> shape;
    WeightPrecision precision = WeightPrecision::Model;
    std::string alternative_name; ///< accepted where name is absent; "": none
};

} // namespace reelmesh
