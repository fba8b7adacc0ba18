// The tokenizer that a tokenizer.json describes, step for step as the `tokenizers` library runs it: added
// tokens are cut out, the rest is normalised, split into words and segmented. Immutable after construction:
// any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/added_tokens.h"
#include "text/text_normalizer.h"
#include "text/tokenizer.h"
#include "text/unigram_model.h"

namespace reelmesh {

/// How text becomes words that start with a mark instead of a space.
struct WordSplit {
    enum class Prefix { Never, First, Always };

    bool drop_spaces = false;    ///< split at white space and drop it, before all else
    std::string mark = "\u2581"; ///< stands for a space
    Prefix prefix = Prefix::Always;
    bool split_at_mark = true;
};

/// Ids around those of the text.
struct TokenTemplate {
    std::vector<std::int64_t> before, after;
};

struct UnigramParts {
    std::vector<AddedToken> added_tokens;
    std::vector<NormalizerStep> normalizer;
    WordSplit words;
    UnigramModel model;
    TokenTemplate frame;
};

class UnigramTokenizer : public Tokenizer {
public:
    explicit UnigramTokenizer(UnigramParts parts);

    Tokens tokenize(std::string_view text, std::int64_t limit) const override;
    std::int64_t vocabulary_size() const override { return vocabulary_size_; }

private:
    void encode_text(AlignedText text, TokenRun& run) const;
    void encode_words(const AlignedText& text, std::size_t begin, std::size_t end, TokenRun& run) const;
    void encode_marked(const AlignedText& text, std::size_t begin, std::size_t end, TokenRun& run) const;

    UnigramParts parts_;
    AddedTokens raw_tokens_, normalized_tokens_;
    std::int64_t vocabulary_size_ = 0;
};

} // namespace reelmesh
