// Published models by name, as far as plans need them: no files. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "request/model_card.h"

namespace reelmesh {

struct ModelPreset {
    std::string name; ///< "wan2.1-t2v-14b"
    FamilyRules rules;
    std::optional<ModelCard> card; ///< of models that this build runs; without files
};

std::vector<std::string> model_preset_names();
/// Throws BadField with the known names.
ModelPreset model_preset(const std::string& name);

} // namespace reelmesh
