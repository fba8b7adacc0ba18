#include "text/piece_trie.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace reelmesh {

PieceTrie::PieceTrie(const std::vector<std::string_view>& pieces) {
    std::vector<std::uint32_t> order(pieces.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t left, std::uint32_t right) { return pieces[left] < pieces[right]; });

    // A node is a run of the sorted pieces that share their first bytes; one level after the other, so that
    // children come to lie side by side.
    using Run = std::pair<std::size_t, std::size_t>;
    std::vector<Run> level = {{0, order.size()}}, next_level;
    labels_.push_back(0);
    for (std::size_t depth = 0; !level.empty(); ++depth) {
        for (auto [begin, end] : level) {
            std::int32_t value = kNoPiece;
            for (; begin < end && pieces[order[begin]].size() == depth; ++begin)
                value = static_cast<std::int32_t>(order[begin]);
            values_.push_back(value);
            first_child_.push_back(static_cast<std::uint32_t>(labels_.size()));
            while (begin < end) {
                const char byte = pieces[order[begin]][depth];
                const std::size_t run_begin = begin;
                while (begin < end && pieces[order[begin]][depth] == byte)
                    ++begin;
                labels_.push_back(static_cast<unsigned char>(byte));
                next_level.emplace_back(run_begin, begin);
            }
        }
        level.swap(next_level);
        next_level.clear();
    }
    first_child_.push_back(static_cast<std::uint32_t>(labels_.size()));
}

std::optional<std::uint32_t> PieceTrie::child(std::uint32_t node, unsigned char byte) const {
    const auto begin = labels_.begin() + first_child_[node];
    const auto end = labels_.begin() + first_child_[node + 1];
    const auto found = std::lower_bound(begin, end, byte);
    if (found == end || *found != byte) return std::nullopt;
    return static_cast<std::uint32_t>(found - labels_.begin());
}

std::int32_t PieceTrie::find(std::string_view piece) const {
    std::uint32_t node = kRoot;
    for (const char byte : piece) {
        const auto next = child(node, static_cast<unsigned char>(byte));
        if (!next) return kNoPiece;
        node = *next;
    }
    return values_[node];
}

} // namespace reelmesh
