// The reference's cleaning of a prompt (ftfy's rules without the repair of mis-decoded text, HTML unescape
// twice, white space): what the tokenizer sees. Pure.
#pragma once

#include <string>
#include <string_view>

namespace reelmesh {

/// prompt must be valid UTF-8 (request/validate has refused anything else).
std::string clean_prompt(std::string_view prompt);

} // namespace reelmesh
