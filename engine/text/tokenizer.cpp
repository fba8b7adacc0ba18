#include "text/tokenizer.h"

#include "base/check.h"
#include "base/regular_file.h"
#include "text/spiece_tokenizer.h"
#include "text/tokenizer_json.h"
#include "text/tokenizer_limits.h"

#include <optional>

namespace reelmesh {
namespace {

std::optional<std::string> read_if_there(const std::string& path) {
    try {
        return read_regular_file(path, kMaxTokenizerBytes);
    } catch (const EngineException& exception) {
        if (exception.error().code == ErrorCode::FileMissing) return std::nullopt;
        throw;
    }
}

} // namespace

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& folder) {
    const std::string json_path = folder + "/tokenizer.json", spiece_path = folder + "/spiece.model";
    if (const auto json = read_if_there(json_path)) return parse_tokenizer_json(*json, json_path);
    if (const auto model = read_if_there(spiece_path))
        return std::make_unique<SpieceTokenizer>(*model, spiece_path);
    fail(ErrorCode::FileMissing, {{"file", json_path}});
}

} // namespace reelmesh
