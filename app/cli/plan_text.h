// A plan in words. Pure.
#pragma once

#include <string>

#include <engine/plan.h>

namespace reelmesh {

/// A line for the sizes, then one a mesh.
std::string plan_text(const PlanSet& plans);
/// "1.25 GiB"
std::string bytes_text(std::uint64_t bytes);

} // namespace reelmesh
