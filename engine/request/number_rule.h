// The legal numbers of a key as the table alone knows them; those of a family are in <engine/request.h>.
// Pure.
#pragma once

#include <optional>

#include "engine/request.h"

namespace reelmesh {

/// Without the rules that only a model has; nothing where those are all there is.
std::optional<NumberRule> number_rule(const RequestField& field);

} // namespace reelmesh
