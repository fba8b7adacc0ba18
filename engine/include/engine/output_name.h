// Names of files that are made from a job: a pattern with parts in braces. In core, so that the window shows
// the very name that a file will get. Pure: any thread.
#pragma once

#include <ctime>
#include <span>
#include <string>
#include <string_view>

#include "engine/error.h"
#include "engine/request.h"

namespace reelmesh {

inline constexpr const char* kDefaultNamePattern = "{date:yyyyMMdd-HHmmss}_{seed}_{prompt:40}";

/// What may stand in braces: date (with an optional form of yyyy MM dd HH mm ss), seed, prompt, model (each
/// with an optional longest length in bytes), size, frames, steps, cfg, plan, count.
std::span<const std::string_view> output_name_keys();

/// What the request does not hold.
struct NameFacts {
    std::time_t time = 0; ///< shown in local time
    std::string plan;     ///< of the mesh that it ran on; "": as asked
    int count = 1;        ///< within its batch
};

/// A legal file name without ending, at most 200 bytes. BadField: a key that is unknown or a brace without
/// end. Unset fields of the request are left out.
Result<std::string> output_name(std::string_view pattern, const JobRequest& request, const NameFacts& facts);

} // namespace reelmesh
