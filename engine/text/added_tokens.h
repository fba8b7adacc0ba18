// Tokens that are cut out of a text before the model sees it, such as "</s>". Immutable after construction:
// any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/piece_trie.h"

namespace reelmesh {

struct AddedToken {
    std::string content;
    std::int64_t id = 0;
    bool single_word = false; ///< only where no letter or digit touches it
    bool strip_left = false;  ///< swallows the spaces in front of it
    bool strip_right = false;
    bool is_normalized = false; ///< looked for behind the normaliser, not in front of it
};

class AddedTokens {
public:
    static constexpr std::int64_t kText = -1;
    struct Part {
        std::size_t begin = 0, end = 0;
        std::int64_t id = kText; ///< kText: ordinary text
    };

    explicit AddedTokens(std::vector<AddedToken> tokens);
    /// Parts that are not empty, in order, covering the whole text. Of the tokens that start at one place the
    /// longest is taken.
    std::vector<Part> split(std::string_view text) const;

private:
    std::vector<AddedToken> tokens_;
    PieceTrie trie_;
};

} // namespace reelmesh
