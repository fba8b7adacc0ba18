// The most probable segmentation of a word into vocabulary pieces. Immutable after construction: any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "text/piece_trie.h"

namespace reelmesh {

/// Ids of a text, and for each the offset in the input behind what it covers.
struct TokenRun {
    std::vector<std::int64_t> ids;
    std::vector<std::uint32_t> ends;
    void add(std::int64_t id, std::uint32_t end) {
        ids.push_back(id);
        ends.push_back(end);
    }
};

using Vocabulary = std::vector<std::pair<std::string, double>>; // piece and score; the index is the id

class UnigramModel {
public:
    enum class Unknown { OneToken, Bytes };

    /// unknown_id is below vocabulary.size(); with Bytes an unknown run becomes "<0x41>" ... where all these
    /// exist.
    UnigramModel(const Vocabulary& vocabulary, std::int64_t unknown_id, Unknown unknown);

    /// word is valid UTF-8; ends as in AlignedText, word.size() of them.
    void encode(std::string_view word, const std::uint32_t* ends, TokenRun& run) const;
    std::optional<std::int64_t> id_of(std::string_view piece) const;
    std::int64_t size() const { return static_cast<std::int64_t>(scores_.size()); }

private:
    struct Step;
    std::vector<Step> best_path(std::string_view word) const;
    void add_unknown(std::string_view text, const std::uint32_t* ends, TokenRun& run) const;

    PieceTrie trie_;
    std::vector<double> scores_;
    std::vector<std::int64_t> byte_ids_; // empty: unknown text is one token
    std::int64_t unknown_id_;
    double unknown_score_;
};

} // namespace reelmesh
