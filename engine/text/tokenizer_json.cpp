#include "text/tokenizer_json.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "text/base64.h"
#include "text/tokenizer_document.h"
#include "text/tokenizer_limits.h"
#include "text/unigram_tokenizer.h"
#include "text/utf8.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace reelmesh {
namespace {

using nlohmann::json;

constexpr std::size_t kMaxPatternBytes = 64;
constexpr std::size_t kMaxNormalizerSteps = 16;
constexpr std::size_t kMaxTemplateTokens = 16;

class TokenizerBuilder {
public:
    TokenizerBuilder(TokenizerDocument document, const std::string& file)
        : root_(std::move(document.root)), vocabulary_(std::move(document.vocabulary)), file_(file) {}

    std::unique_ptr<Tokenizer> build() const {
        UnigramModel model = build_model();
        std::vector<AddedToken> added_tokens = read_added_tokens(model);
        std::vector<NormalizerStep> normalizer;
        if (const json& node = optional(root_, "normalizer"); !node.is_null())
            add_normalizer(node, normalizer);
        TokenTemplate frame = read_template(model, added_tokens);
        return std::make_unique<UnigramTokenizer>(UnigramParts{std::move(added_tokens), std::move(normalizer),
                                                               read_words(), std::move(model),
                                                               std::move(frame)});
    }

private:
    [[noreturn]] void refuse(const std::string& field, const std::string& found) const {
        fail(ErrorCode::UnsupportedTokenizer, {{"file", file_}, {"field", field}, {"found", excerpt(found)}});
    }
    [[noreturn]] void refuse_syntax(const std::string& reason) const {
        fail(ErrorCode::TokenizerSyntax, {{"file", file_}, {"reason", reason}});
    }

    /// The member, or null.
    static const json& optional(const json& object, const char* key) {
        static const json kNull;
        const auto found = object.find(key);
        return found == object.end() ? kNull : *found;
    }

    template <class T>
    const T& as(const json& value, const char* field) const {
        const T* typed = value.get_ptr<const T*>();
        if (!typed) refuse_syntax(std::string(field) + ": wrong type " + value.type_name());
        return *typed;
    }
    const std::string& string(const json& object, const char* key) const {
        return as<json::string_t>(optional(object, key), key);
    }
    const json::array_t& array(const json& object, const char* key) const {
        return as<json::array_t>(optional(object, key), key);
    }
    const json& object(const json& value, const char* field) const {
        as<json::object_t>(value, field);
        return value;
    }
    bool flag(const json& object, const char* key, bool absent) const {
        const json& value = optional(object, key);
        return value.is_null() ? absent : as<json::boolean_t>(value, key);
    }

    /// An id below the limit; null or missing is outside too.
    std::int64_t id(const json& value, const char* field, std::int64_t limit) const {
        if (!value.is_number_integer() && !value.is_null())
            refuse_syntax(std::string(field) + ": wrong type " + value.type_name());
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= static_cast<std::uint64_t>(limit))
            refuse(field, value.dump());
        return value.get<std::int64_t>();
    }

    UnigramModel build_model() const {
        const json& model = object(optional(root_, "model"), "model");
        if (const json& type = optional(model, "type"); type != "Unigram") refuse("model.type", type.dump());
        array(model, "vocab");
        if (vocabulary_.empty())
            fail(ErrorCode::LimitExceeded,
                 {{"file", file_}, {"what", "pieces"}, {"found", std::uint64_t{0}}, {"needed", kMaxPieces}});
        const std::int64_t unknown_id =
            id(optional(model, "unk_id"), "model.unk_id", static_cast<std::int64_t>(vocabulary_.size()));
        const auto unknown = flag(model, "byte_fallback", false) ? UnigramModel::Unknown::Bytes
                                                                 : UnigramModel::Unknown::OneToken;
        return UnigramModel(vocabulary_, unknown_id, unknown);
    }

    std::vector<AddedToken> read_added_tokens(const UnigramModel& model) const {
        std::vector<AddedToken> tokens;
        if (optional(root_, "added_tokens").is_null()) return tokens;
        const json::array_t& nodes = array(root_, "added_tokens");
        const std::int64_t limit = model.size() + static_cast<std::int64_t>(nodes.size());
        for (const json& node : nodes) {
            object(node, "added_tokens");
            AddedToken token;
            token.content = string(node, "content");
            if (token.content.size() > kMaxPieceBytes)
                fail(ErrorCode::LimitExceeded, {{"file", file_},
                                                {"what", "bytes of an added token"},
                                                {"found", std::uint64_t{token.content.size()}},
                                                {"needed", std::uint64_t{kMaxPieceBytes}}});
            token.id = id(optional(node, "id"), "added_tokens.id", limit);
            // Where the vocabulary has the token too, its id holds.
            token.id = model.id_of(token.content).value_or(token.id);
            token.single_word = flag(node, "single_word", false);
            token.strip_left = flag(node, "lstrip", false);
            token.strip_right = flag(node, "rstrip", false);
            token.is_normalized = flag(node, "normalized", !flag(node, "special", false));
            if (!token.content.empty()) tokens.push_back(std::move(token));
        }
        return tokens;
    }

    void add_normalizer(const json& node, std::vector<NormalizerStep>& steps) const {
        const std::string& type = string(object(node, "normalizer"), "type");
        if (type == "Sequence") {
            for (const json& step : array(node, "normalizers"))
                add_normalizer(step, steps);
            return;
        }
        if (steps.size() == kMaxNormalizerSteps)
            fail(ErrorCode::LimitExceeded, {{"file", file_},
                                            {"what", "normalizers"},
                                            {"found", std::uint64_t{kMaxNormalizerSteps + 1}},
                                            {"needed", std::uint64_t{kMaxNormalizerSteps}}});
        if (type == "Precompiled") {
            const json& charsmap = optional(node, "precompiled_charsmap");
            if (charsmap.is_null()) return;
            const auto blob = decode_base64(as<json::string_t>(charsmap, "precompiled_charsmap"));
            if (!blob) refuse_syntax("precompiled_charsmap: not base64");
            steps.emplace_back(PrecompiledCharsmap(*blob, file_));
        } else if (type == "Strip") {
            steps.emplace_back(StripSpaces{flag(node, "strip_left", true), flag(node, "strip_right", true)});
        } else if (type == "Replace") {
            steps.emplace_back(read_replace(node));
        } else {
            refuse("normalizer", type);
        }
    }

    ReplaceRuns read_replace(const json& node) const {
        const json& pattern = object(optional(node, "pattern"), "pattern");
        const std::string& content = string(node, "content");
        if (content.size() > kMaxPatternBytes) refuse("normalizer", "Replace by a long text");
        if (pattern.contains("Regex")) {
            if (string(pattern, "Regex") != " {2,}")
                refuse("normalizer", "Replace " + string(pattern, "Regex"));
            return {" ", 2, std::numeric_limits<std::size_t>::max(), content};
        }
        const std::string& literal = string(pattern, "String");
        if (literal.empty() || literal.size() > kMaxPatternBytes) refuse("normalizer", "Replace " + literal);
        return {literal, 1, 1, content};
    }

    WordSplit read_words() const {
        const json& node = object(optional(root_, "pre_tokenizer"), "pre_tokenizer");
        if (string(node, "type") == "Metaspace") return read_metaspace(node);
        if (string(node, "type") != "Sequence") refuse("pre_tokenizer", string(node, "type"));
        const json::array_t& steps = array(node, "pretokenizers");
        const auto is = [&](std::size_t index, const char* type) {
            return string(object(steps[index], "pretokenizers"), "type") == type;
        };
        if (steps.size() == 1 && is(0, "Metaspace")) return read_metaspace(steps[0]);
        if (steps.size() != 2 || !is(0, "WhitespaceSplit") || !is(1, "Metaspace"))
            refuse("pre_tokenizer", json(steps).dump());
        WordSplit words = read_metaspace(steps[1]);
        words.drop_spaces = true;
        return words;
    }

    WordSplit read_metaspace(const json& node) const {
        WordSplit words;
        words.mark = string(node, "replacement");
        std::size_t size = 0;
        if (words.mark.empty() || (next_character(words.mark, size), size != words.mark.size()))
            refuse_syntax("replacement: not one character");
        words.split_at_mark = flag(node, "split", true);
        if (!flag(node, "add_prefix_space", true)) words.prefix = WordSplit::Prefix::Never;
        const json& scheme = optional(node, "prepend_scheme");
        if (scheme.is_null()) return words;
        if (scheme == "always")
            words.prefix = WordSplit::Prefix::Always;
        else if (scheme == "first")
            words.prefix = WordSplit::Prefix::First;
        else if (scheme == "never")
            words.prefix = WordSplit::Prefix::Never;
        else
            refuse("pre_tokenizer.prepend_scheme", scheme.dump());
        return words;
    }

    TokenTemplate read_template(const UnigramModel& model,
                                const std::vector<AddedToken>& added_tokens) const {
        TokenTemplate frame;
        const json& node = optional(root_, "post_processor");
        if (node.is_null()) return frame;
        if (const std::string& type = string(object(node, "post_processor"), "type");
            type != "TemplateProcessing")
            refuse("post_processor", type);
        std::int64_t limit = model.size();
        for (const AddedToken& token : added_tokens)
            limit = std::max(limit, token.id + 1);
        const json& special_tokens = object(optional(node, "special_tokens"), "special_tokens");
        std::vector<std::int64_t>* side = &frame.before;
        for (const json& piece : array(node, "single")) {
            object(piece, "single");
            if (piece.contains("Sequence")) {
                if (side == &frame.after) refuse("post_processor", "the text twice");
                side = &frame.after;
                continue;
            }
            const std::string& name = string(object(optional(piece, "SpecialToken"), "SpecialToken"), "id");
            for (const json& value :
                 array(object(optional(special_tokens, name.c_str()), "special_tokens"), "ids"))
                side->push_back(id(value, "post_processor", limit));
            if (side->size() > kMaxTemplateTokens) refuse("post_processor", "a long template");
        }
        if (side == &frame.before) refuse("post_processor", "no text");
        return frame;
    }

    json root_;
    Vocabulary vocabulary_;
    const std::string& file_;
};

} // namespace

std::unique_ptr<Tokenizer> parse_tokenizer_json(std::string_view text, const std::string& file) {
    return TokenizerBuilder(read_tokenizer_document(text, file), file).build();
}

} // namespace reelmesh
