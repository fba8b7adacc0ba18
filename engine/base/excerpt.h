// Text of unknown length and content, made fit for an error's arguments.
#pragma once

#include <string>
#include <string_view>

namespace reelmesh {

/// At most 120 bytes, cut at a character and then marked "..."; control characters become '?'.
std::string excerpt(std::string_view text);

/// Up to the first line break: LibTorch's messages have a stack below it.
std::string first_line(const std::string& text);

} // namespace reelmesh
