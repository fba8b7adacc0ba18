#include "text/unigram_model.h"

#include "text/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace reelmesh {
namespace {

constexpr double kUnknownPenalty = 10.0;
constexpr int kNumBytes = 256;
constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

PieceTrie trie_of(const Vocabulary& vocabulary) {
    std::vector<std::string_view> pieces;
    pieces.reserve(vocabulary.size());
    for (const auto& entry : vocabulary)
        pieces.push_back(entry.first);
    return PieceTrie(pieces);
}

std::string byte_piece(int byte) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "<0x%02X>", byte);
    return text.data();
}

} // namespace

/// The best way to reach a byte: score so far, and the last piece.
struct UnigramModel::Step {
    double score = 0;
    std::uint32_t from = kUnreached;
    std::int32_t id = 0;

    void improve(double candidate, std::size_t start, std::int32_t piece) {
        if (from != kUnreached && candidate <= score) return;
        *this = {candidate, static_cast<std::uint32_t>(start), piece};
    }
};

UnigramModel::UnigramModel(const Vocabulary& vocabulary, std::int64_t unknown_id, Unknown unknown)
    : trie_(trie_of(vocabulary)), unknown_id_(unknown_id) {
    scores_.reserve(vocabulary.size());
    for (const auto& entry : vocabulary)
        scores_.push_back(entry.second);
    unknown_score_ = *std::min_element(scores_.begin(), scores_.end()) - kUnknownPenalty;
    for (int byte = 0; unknown == Unknown::Bytes && byte < kNumBytes; ++byte)
        byte_ids_.push_back(trie_.find(byte_piece(byte)));
}

std::optional<std::int64_t> UnigramModel::id_of(std::string_view piece) const {
    const std::int32_t id = trie_.find(piece);
    return id == PieceTrie::kNoPiece ? std::nullopt : std::optional<std::int64_t>(id);
}

std::vector<UnigramModel::Step> UnigramModel::best_path(std::string_view word) const {
    std::vector<Step> steps(word.size() + 1);
    for (std::size_t begin = 0; begin < word.size();) {
        const double score = steps[begin].score;
        std::size_t next = begin;
        next_character(word, next);
        bool has_character = false;
        std::uint32_t node = PieceTrie::kRoot;
        for (std::size_t end = begin; end < word.size();) {
            const auto child = trie_.child(node, static_cast<unsigned char>(word[end]));
            if (!child) break;
            node = *child;
            ++end;
            const std::int32_t id = trie_.value(node);
            if (id == PieceTrie::kNoPiece) continue;
            steps[end].improve(score + scores_[static_cast<std::size_t>(id)], begin, id);
            has_character = has_character || end == next;
        }
        if (!has_character)
            steps[next].improve(score + unknown_score_, begin, static_cast<std::int32_t>(unknown_id_));
        begin = next;
    }
    return steps;
}

void UnigramModel::encode(std::string_view word, const std::uint32_t* ends, TokenRun& run) const {
    const std::vector<Step> steps = best_path(word);
    std::vector<std::size_t> boundaries; // last one first
    for (std::size_t end = word.size(); end > 0; end = steps[end].from)
        boundaries.push_back(end);
    std::size_t unknown_size = 0;
    std::size_t begin = 0;
    const auto flush_unknown = [&] {
        if (unknown_size > 0)
            add_unknown(word.substr(begin - unknown_size, unknown_size), ends + begin - unknown_size, run);
        unknown_size = 0;
    };
    for (auto end = boundaries.rbegin(); end != boundaries.rend(); begin = *end++) {
        if (steps[*end].id == unknown_id_) {
            unknown_size += *end - begin;
            continue;
        }
        flush_unknown();
        run.add(steps[*end].id, ends[*end - 1]);
    }
    flush_unknown();
}

void UnigramModel::add_unknown(std::string_view text, const std::uint32_t* ends, TokenRun& run) const {
    // A run of unknown characters can be a piece as a whole, one that was too improbable to be chosen.
    const auto piece = id_of(text);
    const auto missing = [&](char byte) { return byte_ids_[static_cast<unsigned char>(byte)] < 0; };
    if (piece || byte_ids_.empty() || std::any_of(text.begin(), text.end(), missing)) {
        run.add(piece.value_or(unknown_id_), ends[text.size() - 1]);
        return;
    }
    for (std::size_t i = 0; i < text.size(); ++i)
        run.add(byte_ids_[static_cast<unsigned char>(text[i])], ends[i]);
}

} // namespace reelmesh
