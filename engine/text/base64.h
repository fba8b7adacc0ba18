// Base64 with padding (RFC 4648, section 4). Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace reelmesh {

/// Nothing unless the text is exactly what an encoder writes.
std::optional<std::string> decode_base64(std::string_view text);

} // namespace reelmesh
