// Where a needed weight lies in the files, under its name or the one accepted instead. Private to this
// module.
#pragma once

#include <string>

#include "weights/component_files.h"
#include "weights/weight_spec.h"

namespace reelmesh {

struct StoredWeight {
    std::string name;                   ///< as stored
    const TensorEntry* entry = nullptr; ///< the files'; null: absent
};
StoredWeight find_weight(const WeightSpec& spec, const ComponentFiles& files);

} // namespace reelmesh
