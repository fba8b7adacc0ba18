// The tokenizer of a folder that holds nothing but spiece.model: the sentencepiece library behind a check of
// the file. Immutable after construction: any thread.
#pragma once

#include <sentencepiece_processor.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "text/tokenizer.h"

namespace reelmesh {

class SpieceTokenizer : public Tokenizer {
public:
    /// model is the content of spiece.model, file its name for messages. Throws as check_spiece_model, and
    /// UnsupportedTokenizer with the library's words.
    SpieceTokenizer(std::string_view model, const std::string& file);

    /// Special tokens written in the text are ordinary characters here.
    Tokens tokenize(std::string_view text, std::int64_t limit) const override;
    std::int64_t vocabulary_size() const override { return processor_.GetPieceSize(); }

private:
    sentencepiece::SentencePieceProcessor processor_;
    std::int64_t end_id_ = 0;
};

} // namespace reelmesh
