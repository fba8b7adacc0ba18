// From a cleaned prompt to token ids, as tokenizer.json says. Immutable after loading: any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace reelmesh {

struct Tokens {
    std::vector<std::int64_t> ids; ///< end token included; at most limit
    std::int64_t count = 0;        ///< before the cut, end token included
    std::int64_t cut_byte = -1;    ///< offset in the text of the first byte left out; -1: nothing was
};

class Tokenizer {
public:
    virtual ~Tokenizer() = default;
    /// text must be valid UTF-8. Keeps the first limit-1 ids and the end token.
    virtual Tokens tokenize(std::string_view text, std::int64_t limit) const = 0;
    /// One above the highest id.
    virtual std::int64_t vocabulary_size() const = 0;
};

/// Reads tokenizer.json, or spiece.model where nothing else is there. Throws FileMissing, LimitExceeded,
/// TokenizerSyntax, UnsupportedTokenizer.
std::unique_ptr<Tokenizer> load_tokenizer(const std::string& folder);

} // namespace reelmesh
