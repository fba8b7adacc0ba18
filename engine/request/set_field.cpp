// Fields from text, as typed after a flag.
#include "base/check.h"
#include "base/excerpt.h"
#include "request/fields.h"
#include "request/numbers.h"

namespace reelmesh {
namespace {

bool read_text(std::string_view text, std::string& value) {
    value = text;
    return true;
}

template <class Number>
bool read_number(const std::optional<Number>& number, Number& value) {
    if (number) value = *number;
    return number.has_value();
}
bool read_text(std::string_view text, int& value) {
    return read_number(parse_whole<int>(text), value);
}
bool read_text(std::string_view text, std::int64_t& value) {
    return read_number(parse_whole<std::int64_t>(text), value);
}
bool read_text(std::string_view text, std::uint64_t& value) {
    return read_number(parse_whole<std::uint64_t>(text), value);
}
bool read_text(std::string_view text, double& value) {
    return read_number(parse_finite(text), value);
}

bool read_text(std::string_view text, FrameRate& value) {
    const Result<FrameRate> rate = parse_frame_rate(text);
    if (rate) value = *rate;
    return static_cast<bool>(rate);
}

bool read_text(std::string_view text, std::vector<std::string>& values) {
    values.clear();
    while (true) {
        const std::size_t comma = text.find(',');
        values.emplace_back(text.substr(0, comma));
        if (values.back().empty()) return false;
        if (comma == std::string_view::npos) return true;
        text.remove_prefix(comma + 1);
    }
}

template <class Value>
bool read_text(std::string_view text, std::optional<Value>& value) {
    Value read{};
    if (!read_text(text, read)) return false;
    value = std::move(read);
    return true;
}

Error unreadable(std::string_view key, std::string_view text, const std::string& needed) {
    return make_error(
        ErrorCode::BadField,
        {{"field", std::string(key)}, {"found", "\"" + excerpt(text) + "\""}, {"needed", needed}});
}

Error unknown_key(std::string_view key) {
    std::vector<std::string_view> keys{"output", "size"};
    for (const RequestField& field : request_fields())
        keys.push_back(field.key);
    return make_error(ErrorCode::UnknownField,
                      {{"field", excerpt(key)}, {"nearest", nearest_name(key, keys)}});
}

} // namespace

Result<bool> set_field(JobRequest& request, std::string_view key, std::string_view text) {
    if (key == "output") {
        request.output.path = text;
        return true;
    }
    if (key == "size") {
        const std::optional<Size> size = parse_size(text);
        if (!size) return unreadable(key, text, "width and height in pixels, such as 832x480");
        request.width = size->width;
        request.height = size->height;
        return true;
    }
    const FieldRow* row = find_field(key);
    if (!row) return unknown_key(key);
    const bool read = std::visit([&](auto slot) { return read_text(text, request.*slot); }, row->slot);
    if (!read) return unreadable(key, text, legal_values(row->field));
    return true;
}

} // namespace reelmesh
