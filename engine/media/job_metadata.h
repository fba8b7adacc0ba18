// Reads what a finished file carries: settings, count, rate, size, colour tags. For files of anyone: only
// movie and picture containers are opened, no network protocols, bounded size of text.
#pragma once

#include <string>

#include "engine/engine.h"

namespace reelmesh {

/// Key org.reelmesh.job in movies and PNG text.
inline constexpr const char* kJobMetadataKey = "org.reelmesh.job";

/// Throws FileMissing, FileUnreadable, NotAModel (no media), LimitExceeded. frames is by full decode; a PNG
/// picture is one frame at rate 0/1.
InspectReport inspect_media(const std::string& path);

} // namespace reelmesh
