// UTF-8 as far as a request needs it; this library links no Unicode data. Pure.
#pragma once

#include <cstddef>
#include <string_view>

namespace reelmesh {

/// Offset of the first byte that is no UTF-8 (overlong forms, surrogates and values past U+10FFFF included);
/// npos: all is.
std::size_t first_invalid_utf8(std::string_view text);

} // namespace reelmesh
