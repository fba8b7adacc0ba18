// The JSON of a tokenizer.json within bounds: nesting, number of values, names that stand once. The
// vocabulary, nearly all of such a file, is streamed past the document. Pure.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

#include "text/unigram_model.h"

namespace reelmesh {

struct TokenizerDocument {
    nlohmann::json root; ///< an object; model.vocab is an empty array
    Vocabulary vocabulary;
};

/// Throws LimitExceeded, TokenizerSyntax, DuplicateName, and UnsupportedTokenizer for pieces that are not
/// UTF-8 and scores that are not finite.
TokenizerDocument read_tokenizer_document(std::string_view json, const std::string& file);

} // namespace reelmesh
