// The character map inside sentencepiece models: a Darts double array from byte strings to replacements.
// Immutable after construction: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "text/aligned_text.h"

namespace reelmesh {

class PrecompiledCharsmap {
public:
    /// An empty blob is the identity. Throws TokenizerSyntax unless no walk through the array can leave it
    /// and every replacement is UTF-8 with its end inside the pool; file is for the message.
    PrecompiledCharsmap(std::string_view blob, const std::string& file);

    /// As the `tokenizers` library: grapheme clusters under six bytes are looked up whole and replaced by
    /// what their shortest known beginning maps to; other clusters character by character.
    AlignedText normalize(const AlignedText& input) const;

private:
    std::optional<std::string_view> shortest_match(std::string_view key) const;
    const char* flaw() const;

    std::vector<std::uint32_t> units_;
    std::string pool_;
};

} // namespace reelmesh
