#include "request/job_json_text.h"

#include "base/check.h"
#include "base/json_text.h"

#include <locale.h>

namespace reelmesh {
namespace {

constexpr int kMaxNesting = 32;

/// The parser reads numbers by the C library, whose decimal mark is the user's.
class PlainNumbers {
public:
    PlainNumbers() : plain_(::newlocale(LC_ALL_MASK, "C", nullptr)), before_(::uselocale(plain_)) {}
    ~PlainNumbers() {
        ::uselocale(before_);
        ::freelocale(plain_);
    }
    PlainNumbers(const PlainNumbers&) = delete;
    PlainNumbers& operator=(const PlainNumbers&) = delete;

private:
    locale_t plain_, before_;
};

[[noreturn]] void fail_limit(const std::string& file, const char* what, std::uint64_t found,
                             std::uint64_t needed) {
    fail(ErrorCode::LimitExceeded, {{"file", file}, {"what", what}, {"found", found}, {"needed", needed}});
}

} // namespace

nlohmann::json parse_job_object(std::string_view text, const std::string& file) {
    using json = nlohmann::json;
    if (text.size() > kMaxJobBytes) fail_limit(file, "size in bytes", text.size(), kMaxJobBytes);
    const PlainNumbers plain_numbers;
    const auto bounded = [&](int depth, json::parse_event_t event, json&) {
        const bool opens =
            event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
        if (opens && depth >= kMaxNesting)
            fail_limit(file, "nesting", static_cast<std::uint64_t>(depth) + 1, kMaxNesting);
        return true;
    };
    const JsonText characters(text);
    json job;
    try {
        job = json::parse(characters.begin(), characters.end(), bounded);
    } catch (const json::parse_error& fault) {
        fail(ErrorCode::JobSyntax,
             {{"file", file}, {"reason", "no JSON from byte " + std::to_string(fault.byte)}});
    } catch (const json::exception&) {
        fail(ErrorCode::JobSyntax, {{"file", file}, {"reason", "a number beyond all ranges"}});
    }
    if (!job.is_object())
        fail(ErrorCode::JobSyntax, {{"file", file}, {"found", job.type_name()}, {"needed", "object"}});
    return job;
}

} // namespace reelmesh
