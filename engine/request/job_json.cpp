// Jobs as JSON, written in the order of the table so that equal jobs are equal bytes.
#include "base/check.h"
#include "base/regular_file.h"
#include "request/fields.h"
#include "request/job_json_reader.h"
#include "request/job_json_text.h"

namespace reelmesh {
namespace {

using Json = nlohmann::ordered_json;

// null: unset, not written.
Json to_json(const std::string& value) {
    return value;
}
Json to_json(int value) {
    return value == 0 ? Json() : Json(value);
}
Json to_json(std::int64_t value) {
    return value;
}
Json to_json(double value) {
    return value;
}
/// A string: readers with 53-bit numbers would change it.
Json to_json(std::uint64_t value) {
    return std::to_string(value);
}
Json to_json(const FrameRate& rate) {
    return rate.denominator == 1 ? Json(rate.numerator) : Json(frame_rate_text(rate));
}
Json to_json(const std::vector<std::string>& values) {
    return values.empty() ? Json() : Json(values);
}
template <class Value>
Json to_json(const std::optional<Value>& value) {
    return value ? to_json(*value) : Json();
}

Json output_json(const OutputSpec& output) {
    // The folder keeps its last slash: put together again they are the path as typed.
    const std::size_t name = output.path.rfind('/') + 1;
    return {{"dir", output.path.substr(0, name)},
            {"name", output.path.substr(name)},
            {"format", output.format},
            {"crf", output.crf},
            {"embed", output.embed_settings}};
}

bool stays_home(std::string_view key) {
    return key == "output" || key == "devices" || key == "plan" || key == "timings";
}

} // namespace

Result<JobRequest> job_from_json(std::string_view text, std::string_view file_name) {
    return catch_errors([&] {
        const std::string file(file_name);
        return JobJsonReader(file).read(parse_job_object(text, file));
    });
}

Result<JobRequest> job_from_file(const std::string& path) {
    const Result<std::string> text = catch_errors([&] { return read_regular_file(path, kMaxJobBytes); });
    if (!text) return text.error();
    return job_from_json(*text, path);
}

std::string job_to_json(const JobRequest& request, JobScope scope) {
    Json job;
    const auto put = [&](std::string_view key, Json value) {
        if (scope == JobScope::EmbeddedSettings && stays_home(key)) return;
        Json& slot = job[std::string(key)];
        if (slot.is_object() && value.is_object())
            slot.update(value);
        else
            slot = std::move(value);
    };
    put("schema", request.schema);
    for (const FieldRow& row : field_rows()) {
        Json value = std::visit([&](auto slot) { return to_json(request.*slot); }, row.slot);
        if (!value.is_null()) put(row.field.key, std::move(value));
    }
    put("output", output_json(request.output));
    const Json unknown =
        request.unknown_keys_json.empty() ? Json::object() : Json::parse(request.unknown_keys_json);
    for (const auto& [key, value] : unknown.items())
        put(key, value);
    // Paths may hold bytes that are no UTF-8; JSON cannot.
    return job.dump(scope == JobScope::Whole ? 2 : -1, ' ', false, Json::error_handler_t::replace);
}

} // namespace reelmesh
