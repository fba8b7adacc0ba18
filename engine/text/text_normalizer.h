// The normaliser of a tokenizer.json: character map, stripping, collapsing spaces, in the file's order.
// Immutable after construction: any thread.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "text/aligned_text.h"
#include "text/precompiled_charsmap.h"

namespace reelmesh {

struct StripSpaces {
    bool left = true, right = true;
};

/// Every run of at least min_repeats patterns becomes one content.
struct ReplaceRuns {
    std::string pattern; ///< not empty
    std::size_t min_repeats = 1, max_repeats = 1;
    std::string content;
};

using NormalizerStep = std::variant<PrecompiledCharsmap, StripSpaces, ReplaceRuns>;

AlignedText normalize(const std::vector<NormalizerStep>& steps, AlignedText text);

} // namespace reelmesh
