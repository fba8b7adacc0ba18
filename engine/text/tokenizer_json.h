// A bounded reader of tokenizer.json. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace reelmesh {

/// file is for messages. Throws LimitExceeded, TokenizerSyntax, UnsupportedTokenizer, DuplicateName.
std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view json, const std::string& file);

} // namespace reelmesh
