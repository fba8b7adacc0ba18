#include "base/check.h"
#include "base/excerpt.h"
#include "base/json_text.h"
#include "base/regular_file.h"
#include "request/config_reader.h"

#include <nlohmann/json.hpp>

#include <set>

namespace reelmesh {
namespace {

using nlohmann::json;

constexpr std::uint64_t kMaxBytes = 1u << 20;
constexpr int kMaxNesting = 32;

[[noreturn]] void refuse(const std::string& file, const std::string& reason) {
    fail(ErrorCode::ConfigSyntax, {{"file", file}, {"reason", reason}});
}

/// The parser's own object would silently keep one of two equal keys, and knows no depth limit.
class StructureGuard {
public:
    explicit StructureGuard(const std::string& file) : file_(file) {}

    bool operator()(int depth, json::parse_event_t event, const json& value) {
        using Event = json::parse_event_t;
        if (event == Event::object_start || event == Event::array_start) {
            if (depth >= kMaxNesting) refuse(file_, "nested deeper than " + std::to_string(kMaxNesting));
            keys_.resize(static_cast<std::size_t>(depth) + 1);
            keys_.back().clear();
        } else if (event == Event::key) {
            const auto& name = value.get_ref<const std::string&>();
            if (!keys_[static_cast<std::size_t>(depth) - 1].insert(name).second)
                fail(ErrorCode::DuplicateName, {{"file", file_}, {"name", excerpt(name)}});
        }
        return true;
    }

private:
    const std::string& file_;
    std::vector<std::set<std::string>> keys_; ///< of the open objects, outermost first
};

} // namespace

json parse_config(std::string_view text, const std::string& file) {
    if (text.size() > kMaxBytes) refuse(file, "larger than 1 MiB");
    const JsonText characters(text);
    json config;
    try {
        config = json::parse(characters.begin(), characters.end(), StructureGuard(file));
    } catch (const json::parse_error& error) {
        refuse(file, "no JSON at byte " + std::to_string(error.byte));
    } catch (const json::out_of_range&) {
        refuse(file, "a number is too large");
    }
    // The parser skips a byte order mark, which is no JSON.
    if (!config.is_object() || text.starts_with('\xEF')) refuse(file, "no JSON object");
    return config;
}

json read_config(const std::string& file) {
    try {
        return parse_config(read_regular_file(file, kMaxBytes), file);
    } catch (const EngineException& exception) {
        if (exception.error().code == ErrorCode::LimitExceeded) refuse(file, "larger than 1 MiB");
        throw;
    }
}

} // namespace reelmesh
