#include "text/spiece_tokenizer.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "text/spiece_check.h"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <limits>

namespace reelmesh {
namespace {

void load(sentencepiece::SentencePieceProcessor& processor, std::string_view model, const std::string& file) {
    std::string reason;
    try {
        const auto status = processor.LoadFromSerializedProto({model.data(), model.size()});
        if (status.ok()) return;
        reason = status.message();
    } catch (const std::exception& error) {
        reason = error.what();
    }
    fail(ErrorCode::UnsupportedTokenizer, {{"file", file}, {"field", "model"}, {"found", excerpt(reason)}});
}

} // namespace

SpieceTokenizer::SpieceTokenizer(std::string_view model, const std::string& file) {
    check_spiece_model(model, file);
    load(processor_, model, file);
    end_id_ = processor_.eos_id();
    if (end_id_ < 0)
        fail(ErrorCode::UnsupportedTokenizer, {{"file", file}, {"field", "eos_id"}, {"found", "none"}});
}

Tokens SpieceTokenizer::tokenize(std::string_view text, std::int64_t limit) const {
    REELMESH_CHECK(limit > 0 && text.size() < std::numeric_limits<std::int32_t>::max());
    const auto encoded = processor_.EncodeAsImmutableProto({text.data(), text.size()});
    const std::size_t num_pieces = encoded.pieces_size();
    Tokens tokens;
    tokens.count = static_cast<std::int64_t>(num_pieces) + 1;
    const std::size_t kept = std::min(num_pieces, static_cast<std::size_t>(limit - 1));
    for (std::size_t i = 0; i < kept; ++i)
        tokens.ids.push_back(encoded.pieces(static_cast<int>(i)).id());
    if (kept < num_pieces) tokens.cut_byte = kept == 0 ? 0 : encoded.pieces(static_cast<int>(kept) - 1).end();
    tokens.ids.push_back(end_id_);
    return tokens;
}

} // namespace reelmesh
