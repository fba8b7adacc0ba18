// Bounded, typed reading of a model's JSON configuration: a key is absent (its default), or of the right type
// and inside its range, or refused with field, value and range. Unknown keys are left alone. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace reelmesh {

/// The text as a JSON object. Throws ConfigSyntax (over 1 MiB, nesting over 32, no JSON object, NaN,
/// Infinity) and DuplicateName.
nlohmann::json parse_config(std::string_view text, const std::string& file);
/// The same of a file. Throws FileMissing, FileUnreadable, BadLink, NotAModel too.
nlohmann::json read_config(const std::string& file);

struct IntegerRange {
    std::int64_t from, to;
    std::int64_t multiple_of = 1;
};
struct NumberRange {
    double from = std::numeric_limits<double>::lowest();
    double to = std::numeric_limits<double>::max();
    enum class From { Included, Excluded } kind = From::Included;
};
struct LengthRange {
    std::size_t from, to;
};

/// Throws ModelMismatch with both numbers unless they are equal.
void require_equal(const std::string& file, const std::string& field, std::int64_t found,
                   std::int64_t needed);
/// Throws UnsupportedModel, listing what is known.
[[noreturn]] void refuse_model(const std::string& file, const std::string& found,
                               const std::vector<std::string>& known);

/// Borrows the JSON. Every getter throws BadConfig.
class ConfigReader {
public:
    ConfigReader(const nlohmann::json& config, const std::string& file) : config_(config), file_(file) {}

    const std::string& file() const { return file_; }
    /// What null stands for where a key may hold it: the default.
    enum class Null { Refused, IsDefault };

    std::int64_t integer(const char* key, std::int64_t fallback, IntegerRange range,
                         Null null = Null::Refused) const;
    std::optional<std::int64_t> optional_integer(const char* key, IntegerRange range) const;
    double number(const char* key, double fallback, NumberRange range) const;
    std::optional<double> optional_number(const char* key, NumberRange range) const;
    bool boolean(const char* key, bool fallback) const;
    std::string text(const char* key, const char* fallback) const;
    std::vector<std::int64_t> integers(const char* key, std::vector<std::int64_t> fallback,
                                       LengthRange length, IntegerRange range) const;
    std::vector<double> numbers(const char* key, std::vector<double> fallback, LengthRange length,
                                NumberRange range) const;
    std::vector<bool> booleans(const char* key, std::vector<bool> fallback, LengthRange length) const;

    /// Refuses a value that the caller judged.
    [[noreturn]] void refuse(const std::string& key, const std::string& needed) const;

private:
    const nlohmann::json* find(const char* key) const;
    const nlohmann::json* find_list(const char* key, LengthRange length) const;
    std::int64_t integer_of(const nlohmann::json& value, const char* key, IntegerRange range) const;
    double number_of(const nlohmann::json& value, const char* key, NumberRange range) const;
    bool boolean_of(const nlohmann::json& value, const char* key) const;

    const nlohmann::json& config_;
    const std::string& file_;
};

} // namespace reelmesh
