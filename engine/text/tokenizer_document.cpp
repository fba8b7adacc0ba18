#include "text/tokenizer_document.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "text/tokenizer_limits.h"
#include "text/utf8.h"

#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

namespace reelmesh {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 32;
constexpr std::uint64_t kMaxOtherValues = 1'000'000;
// root > model > vocab > [piece, score]
constexpr int kEntryDepth = 3;
constexpr std::size_t kEntrySize = 2;

/// Watches the parser's events; what it does not keep is dropped from the document at once.
class DocumentWatcher {
public:
    DocumentWatcher(Vocabulary& vocabulary, const std::string& file) : vocabulary_(vocabulary), file_(file) {}

    bool operator()(int depth, json::parse_event_t event, json& value) {
        using Event = json::parse_event_t;
        const bool closes = event == Event::object_end || event == Event::array_end;
        if (depth > kMaxDepth) refuse_limit("nesting", static_cast<std::uint64_t>(depth), kMaxDepth);
        if (event == Event::key) enter_key(depth, value.get_ref<const std::string&>());
        if (event == Event::object_start) keys_seen(depth + 1).clear();
        if (in_vocabulary(depth)) return keep_vocabulary_event(depth, event, value);
        if (!closes && ++num_values_ > kMaxOtherValues) refuse_limit("values", num_values_, kMaxOtherValues);
        return true;
    }

    bool in_vocabulary(int depth) const {
        return depth >= kEntryDepth && path_.size() == kEntryDepth && path_[1] == "model" &&
               path_[2] == "vocab";
    }
    bool at_vocabulary() const { return in_vocabulary(kEntryDepth); }

private:
    [[noreturn]] void refuse_limit(const char* what, std::uint64_t found, std::uint64_t needed) const {
        fail(ErrorCode::LimitExceeded,
             {{"file", file_}, {"what", what}, {"found", found}, {"needed", needed}});
    }

    std::set<std::string>& keys_seen(int depth) {
        const auto index = static_cast<std::size_t>(depth);
        if (seen_.size() <= index) seen_.resize(index + 1);
        return seen_[index];
    }

    void enter_key(int depth, const std::string& key) {
        if (!keys_seen(depth).insert(key).second)
            fail(ErrorCode::DuplicateName, {{"file", file_}, {"name", excerpt(key)}});
        path_.resize(static_cast<std::size_t>(depth));
        path_.push_back(key);
    }

    bool keep_vocabulary_event(int depth, json::parse_event_t event, json& value) {
        using Event = json::parse_event_t;
        if (depth == kEntryDepth && event == Event::array_start) {
            entry_size_ = 0;
            if (vocabulary_.size() == kMaxPieces) refuse_limit("pieces", kMaxPieces + 1, kMaxPieces);
            return true;
        }
        if (depth == kEntryDepth && event == Event::array_end) {
            add_entry(value);
            return false;
        }
        if (depth != kEntryDepth + 1 || event != Event::value || ++entry_size_ > kEntrySize) refuse_entry();
        return true;
    }

    void add_entry(json& entry) {
        if (entry.size() != kEntrySize || !entry[0].is_string() || !entry[1].is_number()) refuse_entry();
        auto& piece = entry[0].get_ref<std::string&>();
        if (piece.size() > kMaxPieceBytes) refuse_limit("bytes of a piece", piece.size(), kMaxPieceBytes);
        vocabulary_.emplace_back(std::move(piece), entry[1].get<double>());
    }

    [[noreturn]] void refuse_entry() const {
        fail(ErrorCode::TokenizerSyntax,
             {{"file", file_}, {"reason", "model.vocab: an entry is not [piece, score]"}});
    }

    Vocabulary& vocabulary_;
    const std::string& file_;
    std::vector<std::string> path_; // by depth; an object's keys stand one deeper than the object
    std::vector<std::set<std::string>> seen_;
    std::uint64_t num_values_ = 0;
    std::size_t entry_size_ = 0;
};

/// What the parser refuses inside the vocabulary is not always a matter of syntax.
void refuse_unsupported_piece(std::string_view text, const json::exception& error, const std::string& file) {
    const auto refuse = [&](const char* found) {
        fail(ErrorCode::UnsupportedTokenizer, {{"file", file}, {"field", "model.vocab"}, {"found", found}});
    };
    if (dynamic_cast<const json::out_of_range*>(&error)) refuse("a score that is not finite");
    const auto* syntax = dynamic_cast<const json::parse_error*>(&error);
    if (!syntax || syntax->byte == 0 || syntax->byte > text.size()) return;
    // "NaN" and "Infinity", as Python writes them.
    const char culprit = text[syntax->byte - 1];
    if (culprit == 'N' || culprit == 'I') refuse("a score that is not finite");
    if (!is_utf8(text)) refuse("a piece that is not UTF-8");
}

} // namespace

TokenizerDocument read_tokenizer_document(std::string_view text, const std::string& file) {
    if (text.size() > kMaxTokenizerBytes)
        fail(ErrorCode::LimitExceeded, {{"file", file},
                                        {"what", "bytes"},
                                        {"found", std::uint64_t{text.size()}},
                                        {"needed", kMaxTokenizerBytes}});
    TokenizerDocument document;
    DocumentWatcher watcher(document.vocabulary, file);
    try {
        document.root = json::parse(text.begin(), text.end(), std::ref(watcher));
    } catch (const json::exception& error) {
        if (watcher.at_vocabulary()) refuse_unsupported_piece(text, error, file);
        const auto* syntax = dynamic_cast<const json::parse_error*>(&error);
        const std::string place = syntax ? " at byte " + std::to_string(syntax->byte) : std::string();
        fail(ErrorCode::TokenizerSyntax, {{"file", file}, {"reason", "not JSON" + place}});
    }
    if (!document.root.is_object())
        fail(ErrorCode::TokenizerSyntax, {{"file", file}, {"reason", "not a JSON object"}});
    return document;
}

} // namespace reelmesh
