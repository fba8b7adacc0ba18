// A byte trie over the pieces of a vocabulary, children of a node side by side. Immutable after construction:
// any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace reelmesh {

class PieceTrie {
public:
    static constexpr std::uint32_t kRoot = 0;
    static constexpr std::int32_t kNoPiece = -1;

    PieceTrie() : PieceTrie(std::vector<std::string_view>{}) {}
    /// The value of a piece is its place in the list, the last one where a piece stands there twice.
    explicit PieceTrie(const std::vector<std::string_view>& pieces);

    std::optional<std::uint32_t> child(std::uint32_t node, unsigned char byte) const;
    std::int32_t value(std::uint32_t node) const { return values_[node]; }
    /// Value of the whole piece, kNoPiece if it is none.
    std::int32_t find(std::string_view piece) const;

private:
    std::vector<std::uint32_t>
        first_child_; // one more than nodes: the end of a node's children is the next's begin
    std::vector<unsigned char> labels_;
    std::vector<std::int32_t> values_;
};

} // namespace reelmesh
