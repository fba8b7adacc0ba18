#include "request/job_json_reader.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "request/fields.h"
#include "request/job_aliases.h"
#include "request/numbers.h"

namespace reelmesh {
namespace {

using json = nlohmann::json;

bool read_value(const json& value, std::string& read) {
    if (!value.is_string()) return false;
    read = value.get_ref<const std::string&>();
    return true;
}

template <std::signed_integral Whole>
bool read_value(const json& value, Whole& read) {
    if (!value.is_number_integer()) return false;
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::numeric_limits<Whole>::max())
        return false;
    const auto number = value.get<std::int64_t>();
    read = static_cast<Whole>(number);
    return read == number;
}

bool read_value(const json& value, double& read) {
    if (!value.is_number()) return false;
    read = value.get<double>();
    return true;
}

bool read_value(const json& value, std::uint64_t& read) {
    std::optional<std::uint64_t> number;
    if (value.is_number_unsigned()) number = value.get<std::uint64_t>();
    if (value.is_string()) number = parse_whole<std::uint64_t>(value.get_ref<const std::string&>());
    read = number.value_or(0);
    return number.has_value();
}

bool read_value(const json& value, FrameRate& read) {
    std::string text;
    if (value.is_number_integer()) text = value.dump();
    if (value.is_number_float()) text = decimal_text(value.get<double>());
    if (value.is_string()) text = value.get<std::string>();
    const Result<FrameRate> rate = parse_frame_rate(text);
    if (rate) read = *rate;
    return static_cast<bool>(rate);
}

bool read_value(const json& value, bool& read) {
    if (!value.is_boolean()) return false;
    read = value.get<bool>();
    return true;
}

template <class Value>
bool read_value(const json& value, std::optional<Value>& read) {
    return read_value(value, read.emplace());
}

bool read_value(const json& value, std::vector<std::string>& read) {
    read.clear();
    if (!value.is_array()) return false;
    for (const json& entry : value)
        if (!read_value(entry, read.emplace_back())) return false;
    return true;
}

/// What was found, short enough for a message.
std::string shown(const json& value) {
    if (value.is_structured() || value.is_null()) return value.type_name();
    return excerpt(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

} // namespace

JobRequest JobJsonReader::read(const json& job) {
    for (const auto& [name, value] : job.items())
        read_entry(name, value);
    if (!degree_name_.empty()) {
        claim("mesh", degree_name_);
        request_.mesh = mesh_text(degrees_);
    }
    if (!unknown_.empty()) request_.unknown_keys_json = unknown_.dump();
    return std::move(request_);
}

void JobJsonReader::read_entry(const std::string& name, const json& value) {
    if (name == "schema") return read_schema(value);
    if (name == "output") return read_output(value);
    if (find_field(name)) return read_field(name, name, value);
    if (const std::optional<Axis> axis = axis_of_alias(name)) return read_degree(name, *axis, value);
    const std::string_view key = key_of_alias(name);
    if (key == "size") return read_size(name, value);
    if (!key.empty()) return read_field(name, key, value);
    unknown_[name] = value;
}

void JobJsonReader::read_schema(const json& value) {
    if (!read_value(value, request_.schema) || request_.schema < 1)
        fail_type("schema", value, "a whole number from 1");
}

void JobJsonReader::read_output(const json& value) {
    if (read_value(value, request_.output.path)) return;
    if (!value.is_object()) fail_type("output", value, "an object");
    std::string folder, file;
    json surplus = json::object();
    for (const auto& [part, entry] : value.items()) {
        const char* unmet = nullptr;
        if (part == "dir")
            unmet = read_value(entry, folder) ? nullptr : "text";
        else if (part == "name")
            unmet = read_value(entry, file) ? nullptr : "text";
        else if (part == "format")
            unmet = read_value(entry, request_.output.format) ? nullptr : "text";
        else if (part == "crf")
            unmet = read_value(entry, request_.output.crf) ? nullptr : "a whole number";
        else if (part == "embed")
            unmet = read_value(entry, request_.output.embed_settings) ? nullptr : "true or false";
        else
            surplus[part] = entry;
        if (unmet) fail_type("output." + part, entry, unmet);
    }
    const bool apart = !folder.empty() && !file.empty() && folder.back() != '/';
    request_.output.path = folder + (apart ? "/" : "") + file;
    if (!surplus.empty()) unknown_["output"] = surplus;
}

void JobJsonReader::read_size(const std::string& name, const json& value) {
    claim("width", name);
    claim("height", name);
    const std::optional<Size> size =
        value.is_string() ? parse_size(value.get_ref<const std::string&>()) : std::nullopt;
    if (!size) fail_type(name, value, "width and height, such as \"832*480\"");
    request_.width = size->width;
    request_.height = size->height;
}

void JobJsonReader::read_degree(const std::string& name, Axis axis, const json& value) {
    claim(axis_name(axis), name);
    int degree = 0;
    if (!read_value(value, degree) || degree < 1 || degree > kMaxMeshRanks)
        fail_type(name, value, "a whole number from 1 to " + std::to_string(kMaxMeshRanks));
    degrees_.degrees[static_cast<std::size_t>(axis)] = degree;
    degree_name_ = name;
}

void JobJsonReader::read_field(const std::string& name, std::string_view key, const json& value) {
    claim(key, name);
    const FieldRow& row = *find_field(key);
    if (!std::visit([&](auto slot) { return read_value(value, request_.*slot); }, row.slot))
        fail_type(name, value, legal_values(row.field));
    if (name != key && key == "sampler") request_.sampler = sampler_of_alias(*request_.sampler);
}

void JobJsonReader::claim(std::string_view setting, const std::string& name) {
    const auto [entry, first] = given_.emplace(setting, name);
    if (!first)
        fail(ErrorCode::JobSyntax, {{"file", file_},
                                    {"field", name},
                                    {"found", entry->second + " and " + name},
                                    {"needed", "one of them"}});
}

void JobJsonReader::fail_type(const std::string& name, const json& value, const std::string& needed) const {
    fail(ErrorCode::JobSyntax,
         {{"file", file_}, {"field", name}, {"found", shown(value)}, {"needed", needed}});
}

} // namespace reelmesh
