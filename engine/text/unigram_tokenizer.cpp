#include "text/unigram_tokenizer.h"

#include "base/check.h"
#include "text/utf8.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace reelmesh {
namespace {

AlignedText aligned(std::string_view text, std::size_t begin, std::size_t end) {
    AlignedText result;
    result.begin = static_cast<std::uint32_t>(begin);
    result.text = text.substr(begin, end - begin);
    // All bytes of a character end with it: no cut falls inside one.
    for (std::size_t position = 0; position < result.text.size();) {
        next_character(result.text, position);
        result.ends.resize(position, static_cast<std::uint32_t>(begin + position));
    }
    return result;
}

std::vector<AddedToken> raw_tokens(const UnigramParts& parts) {
    std::vector<AddedToken> tokens = parts.added_tokens;
    std::erase_if(tokens, [](const AddedToken& token) { return token.is_normalized; });
    return tokens;
}

std::vector<AddedToken> normalized_tokens(const UnigramParts& parts) {
    std::vector<AddedToken> tokens = parts.added_tokens;
    std::erase_if(tokens, [](const AddedToken& token) { return !token.is_normalized; });
    for (AddedToken& token : tokens)
        token.content = normalize(parts.normalizer, aligned(token.content, 0, token.content.size())).text;
    std::erase_if(tokens, [](const AddedToken& token) { return token.content.empty(); });
    return tokens;
}

} // namespace

UnigramTokenizer::UnigramTokenizer(UnigramParts parts)
    : parts_(std::move(parts)), raw_tokens_(raw_tokens(parts_)),
      normalized_tokens_(normalized_tokens(parts_)), vocabulary_size_(parts_.model.size()) {
    for (const AddedToken& token : parts_.added_tokens)
        vocabulary_size_ = std::max(vocabulary_size_, token.id + 1);
}

Tokens UnigramTokenizer::tokenize(std::string_view text, std::int64_t limit) const {
    REELMESH_CHECK(limit > 0 && text.size() < std::numeric_limits<std::int32_t>::max());
    TokenRun run;
    for (const AddedTokens::Part& part : raw_tokens_.split(text)) {
        if (part.id == AddedTokens::kText)
            encode_text(aligned(text, part.begin, part.end), run);
        else
            run.add(part.id, static_cast<std::uint32_t>(part.end));
    }
    const auto& [before, after] = parts_.frame;
    const auto kept_room = static_cast<std::size_t>(limit) -
                           std::min(before.size() + after.size(), static_cast<std::size_t>(limit));
    Tokens tokens;
    tokens.count = static_cast<std::int64_t>(before.size() + run.ids.size() + after.size());
    if (run.ids.size() > kept_room) {
        tokens.cut_byte = kept_room == 0 ? 0 : run.ends[kept_room - 1];
        run.ids.resize(kept_room);
    }
    tokens.ids = before;
    tokens.ids.insert(tokens.ids.end(), run.ids.begin(), run.ids.end());
    tokens.ids.insert(tokens.ids.end(), after.begin(), after.end());
    if (tokens.ids.size() > static_cast<std::size_t>(limit))
        tokens.ids.resize(static_cast<std::size_t>(limit));
    return tokens;
}

void UnigramTokenizer::encode_text(AlignedText text, TokenRun& run) const {
    const AlignedText normal = normalize(parts_.normalizer, std::move(text));
    for (const AddedTokens::Part& part : normalized_tokens_.split(normal.text)) {
        if (part.id == AddedTokens::kText)
            encode_words(normal, part.begin, part.end, run);
        else
            run.add(part.id, normal.ends[part.end - 1]);
    }
}

void UnigramTokenizer::encode_words(const AlignedText& text, std::size_t begin, std::size_t end,
                                    TokenRun& run) const {
    if (!parts_.words.drop_spaces) return encode_marked(text, begin, end, run);
    std::size_t word_begin = begin;
    for (std::size_t position = begin; position < end;) {
        const std::size_t start = position;
        if (!u_isUWhiteSpace(static_cast<UChar32>(next_character(text.text, position)))) continue;
        if (word_begin < start) encode_marked(text, word_begin, start, run);
        word_begin = position;
    }
    if (word_begin < end) encode_marked(text, word_begin, end, run);
}

void UnigramTokenizer::encode_marked(const AlignedText& text, std::size_t begin, std::size_t end,
                                     TokenRun& run) const {
    const WordSplit& words = parts_.words;
    AlignedText marked;
    marked.begin = text.source_of(begin);
    const char first = text.text[begin];
    const bool has_mark =
        first == ' ' || std::string_view(text.text).substr(begin, end - begin).starts_with(words.mark);
    const bool wants_mark = words.prefix == WordSplit::Prefix::Always ||
                            (words.prefix == WordSplit::Prefix::First && marked.begin == 0 && begin == 0);
    if (wants_mark && !has_mark) marked.append(words.mark, marked.begin);
    for (std::size_t i = begin; i < end; ++i) {
        if (text.text[i] == ' ')
            marked.append(words.mark, text.ends[i]);
        else
            marked.append(std::string_view(text.text).substr(i, 1), text.ends[i]);
    }
    const std::string_view all = marked.text;
    for (std::size_t word = 0; word < all.size();) {
        // A word ends where the next mark stands.
        const std::size_t next =
            words.split_at_mark ? all.find(words.mark, word + 1) : std::string_view::npos;
        const std::size_t word_end = std::min(next, all.size());
        parts_.model.encode(all.substr(word, word_end - word), marked.ends.data() + word, run);
        word = word_end;
    }
}

} // namespace reelmesh
