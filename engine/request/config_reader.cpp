#include "request/config_reader.h"

#include "base/check.h"
#include "base/excerpt.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <locale>
#include <sstream>

namespace reelmesh {
namespace {

using nlohmann::json;

std::string shown(double value) {
    std::ostringstream text;
    text.imbue(std::locale::classic());
    text << value;
    return text.str();
}

} // namespace

void require_equal(const std::string& file, const std::string& field, std::int64_t found,
                   std::int64_t needed) {
    if (found != needed)
        fail(ErrorCode::ModelMismatch,
             {{"file", file}, {"field", field}, {"found", found}, {"needed", needed}});
}

void refuse_model(const std::string& file, const std::string& found, const std::vector<std::string>& known) {
    fail(ErrorCode::UnsupportedModel, {{"file", file}, {"found", found}, {"needed", known}});
}

void ConfigReader::refuse(const std::string& key, const std::string& needed) const {
    const auto found = config_.find(key);
    const std::string value = found == config_.end() ? "absent" : excerpt(found->dump());
    fail(ErrorCode::BadConfig, {{"file", file_}, {"field", key}, {"found", value}, {"needed", needed}});
}

const json* ConfigReader::find(const char* key) const {
    const auto found = config_.find(key);
    return found == config_.end() ? nullptr : &*found;
}

const json* ConfigReader::find_list(const char* key, LengthRange length) const {
    const json* list = find(key);
    if (list && (!list->is_array() || list->size() < length.from || list->size() > length.to))
        refuse(key, length.from == length.to
                        ? "a list of " + std::to_string(length.from)
                        : "a list of " + std::to_string(length.from) + " to " + std::to_string(length.to));
    return list;
}

std::int64_t ConfigReader::integer_of(const json& value, const char* key, IntegerRange range) const {
    const bool fits_type =
        value.is_number_integer() && (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
    const std::int64_t number = fits_type ? value.get<std::int64_t>() : 0;
    if (!fits_type || number < range.from || number > range.to || number % range.multiple_of != 0)
        refuse(key, std::string(range.multiple_of == 2 ? "an even number" : "a whole number") + " from " +
                        std::to_string(range.from) + " to " + std::to_string(range.to));
    return number;
}

double ConfigReader::number_of(const json& value, const char* key, NumberRange range) const {
    const double number = value.is_number() ? value.get<double>() : 0.0;
    const bool excluded = range.kind == NumberRange::From::Excluded;
    if (!value.is_number() || !std::isfinite(number) || number < range.from || number > range.to ||
        (excluded && number == range.from)) {
        std::string needed = "a finite number";
        if (range.from > std::numeric_limits<double>::lowest())
            needed += (excluded ? " above " : " from ") + shown(range.from);
        if (range.to < std::numeric_limits<double>::max()) needed += " to " + shown(range.to);
        refuse(key, needed);
    }
    return number;
}

bool ConfigReader::boolean_of(const json& value, const char* key) const {
    if (!value.is_boolean()) refuse(key, "true or false");
    return value.get<bool>();
}

std::int64_t ConfigReader::integer(const char* key, std::int64_t fallback, IntegerRange range,
                                   Null null) const {
    const json* value = find(key);
    if (!value || (value->is_null() && null == Null::IsDefault)) return fallback;
    return integer_of(*value, key, range);
}

std::optional<std::int64_t> ConfigReader::optional_integer(const char* key, IntegerRange range) const {
    const json* value = find(key);
    if (!value || value->is_null()) return std::nullopt;
    return integer_of(*value, key, range);
}

double ConfigReader::number(const char* key, double fallback, NumberRange range) const {
    const json* value = find(key);
    return value ? number_of(*value, key, range) : fallback;
}

std::optional<double> ConfigReader::optional_number(const char* key, NumberRange range) const {
    const json* value = find(key);
    if (!value || value->is_null()) return std::nullopt;
    return number_of(*value, key, range);
}

bool ConfigReader::boolean(const char* key, bool fallback) const {
    const json* value = find(key);
    return value ? boolean_of(*value, key) : fallback;
}

std::string ConfigReader::text(const char* key, const char* fallback) const {
    const json* value = find(key);
    if (!value) return fallback;
    if (!value->is_string()) refuse(key, "text");
    return value->get<std::string>();
}

std::vector<std::int64_t> ConfigReader::integers(const char* key, std::vector<std::int64_t> fallback,
                                                 LengthRange length, IntegerRange range) const {
    const json* list = find_list(key, length);
    if (!list) return fallback;
    std::vector<std::int64_t> values;
    for (const json& value : *list)
        values.push_back(integer_of(value, key, range));
    return values;
}

std::vector<double> ConfigReader::numbers(const char* key, std::vector<double> fallback, LengthRange length,
                                          NumberRange range) const {
    const json* list = find_list(key, length);
    if (!list) return fallback;
    std::vector<double> values;
    for (const json& value : *list)
        values.push_back(number_of(value, key, range));
    return values;
}

std::vector<bool> ConfigReader::booleans(const char* key, std::vector<bool> fallback,
                                         LengthRange length) const {
    const json* list = find_list(key, length);
    if (!list) return fallback;
    std::vector<bool> values;
    for (const json& value : *list)
        values.push_back(boolean_of(value, key));
    return values;
}

} // namespace reelmesh
