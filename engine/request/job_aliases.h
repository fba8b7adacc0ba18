// Names that other programs give to our job keys. Constant data, any thread.
#pragma once

#include <optional>
#include <string_view>

#include "request/mesh_shape.h"

namespace reelmesh {

/// The job key that a foreign key means ("size" for sizes in one string); "": none.
std::string_view key_of_alias(std::string_view alias);

/// The axis whose degree a foreign key holds.
std::optional<Axis> axis_of_alias(std::string_view alias);

/// Our name of a foreign sampler, else the name itself.
std::string_view sampler_of_alias(std::string_view name);

} // namespace reelmesh
