// Reads a spiece.model far enough to know that the sentencepiece library may have it: the library trusts the
// inside of the character map, and reports other damage less exactly. Pure.
#pragma once

#include <string>
#include <string_view>

namespace reelmesh {

/// Throws LimitExceeded, TokenizerSyntax, UnsupportedTokenizer.
void check_spiece_model(std::string_view model, const std::string& file);

} // namespace reelmesh
