// The one set of rules that window, command line and job files are held against.
#include "base/check.h"
#include "base/excerpt.h"
#include "request/fields.h"
#include "request/frame_rate.h"
#include "request/mesh_rules.h"
#include "request/number_rule.h"
#include "request/numbers.h"
#include "request/utf8.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

constexpr std::size_t kMaxPromptBytes = std::size_t{1} << 20;
constexpr std::string_view kFormats[] = {"mp4", "png"};
constexpr RequestField kOutputFormat{"output.format", FieldKind::Choice, "", 0, 0, 0, kFormats, ""};
constexpr RequestField kOutputCrf{"output.crf", FieldKind::Integer, "", 0, 51, 1, {}, ""};

Error bad_field(std::string_view field, ErrorArgument found, std::string needed,
                std::vector<std::string> nearest) {
    Error error =
        make_error(ErrorCode::BadField,
                   {{"field", std::string(field)}, std::move(found), {"needed", std::move(needed)}});
    std::erase(nearest, std::string());
    if (!nearest.empty()) error.arguments.push_back({"nearest", std::move(nearest)});
    return error;
}

/// Whole numbers without an exponent, however large.
std::string value_text(double value) {
    return value == std::trunc(value) ? std::to_string(static_cast<std::int64_t>(value))
                                      : decimal_text(value);
}

std::vector<std::string> nearest_texts(const NumberRule& rule, double value) {
    std::vector<std::string> texts;
    for (const double legal : rule.nearest(value))
        texts.push_back(value_text(legal));
    return texts;
}

std::string needed_text(const NumberRule& rule) {
    const std::string range = " from " + value_text(rule.minimum) + " to " + value_text(rule.maximum);
    if (rule.grid == 0) return "a number" + range;
    if (rule.grid == 1) return "a whole number" + range;
    const std::string grid = value_text(rule.grid);
    return (rule.minimum == rule.grid ? "a multiple of " + grid : grid + "n+" + value_text(rule.minimum)) +
           range;
}

class Checker {
public:
    Checker(const JobRequest& request, const FamilyRules* rules) : request_(request), rules_(rules) {}

    std::vector<Error> run() {
        for (const FieldRow& row : field_rows())
            std::visit([&](auto slot) { check(row.field, request_.*slot); }, row.slot);
        for (Error& fault : rules_ ? mesh_faults(request_, *rules_) : mesh_faults(request_))
            faults_.push_back(std::move(fault));
        check_output();
        return std::move(faults_);
    }

private:
    template <class Value>
    void check(const RequestField& field, const std::optional<Value>& value) {
        if (value) check(field, *value);
    }

    void check(const RequestField& field, const std::string& value) {
        if (field.kind == FieldKind::Choice) return check_choice(field, value);
        if (field.kind != FieldKind::Text || field.key == "mesh") return;
        if (value.size() > kMaxPromptBytes)
            return faults_.push_back(
                make_error(ErrorCode::PromptTooLong, {{"field", std::string(field.key)},
                                                      {"found", std::uint64_t{value.size()}},
                                                      {"needed", std::uint64_t{kMaxPromptBytes}}}));
        if (const std::size_t offset = first_invalid_utf8(value); offset != std::string::npos)
            faults_.push_back(make_error(ErrorCode::PromptNotUtf8, {{"field", std::string(field.key)},
                                                                    {"offset", std::uint64_t{offset}}}));
    }

    void check(const RequestField& field, int value) { check(field, std::int64_t{value}); }

    void check(const RequestField& field, std::int64_t value) {
        check_number(field, static_cast<double>(value), {"found", value});
    }

    void check(const RequestField& field, double value) {
        const bool second_expert = field.key == "guidance2" || field.key == "boundary";
        if (rules_ && second_expert && !rules_->two_experts)
            return faults_.push_back(bad_field(field.key, {"found", value}, "a model with two experts", {}));
        check_number(field, value, {"found", value});
    }

    void check_number(const RequestField& field, double value, ErrorArgument found) {
        std::optional<NumberRule> rule = number_rule(field);
        if (rules_)
            if (const auto family = number_rule(field.key, *rules_)) rule = family;
        if (rule && !rule->holds(value))
            faults_.push_back(
                bad_field(field.key, std::move(found), needed_text(*rule), nearest_texts(*rule, value)));
    }

    void check(const RequestField& field, const FrameRate& rate) {
        if (!is_legal(rate))
            faults_.push_back(
                bad_field(field.key, {"found", frame_rate_text(rate)}, legal_values(field), {}));
    }

    void check(const RequestField&, std::uint64_t) {}

    void check(const RequestField& field, const std::vector<std::string>& devices) {
        for (const std::string& device : devices) {
            const bool gpu =
                device.starts_with("cuda:") && parse_whole<std::uint16_t>(device.substr(5)).has_value();
            if (device != "cpu" && !gpu)
                faults_.push_back(bad_field(field.key, {"found", excerpt(device)}, legal_values(field), {}));
        }
    }

    void check_choice(const RequestField& field, const std::string& value) {
        if (std::find(field.choices.begin(), field.choices.end(), value) != field.choices.end()) return;
        faults_.push_back(bad_field(field.key, {"found", "\"" + excerpt(value) + "\""}, legal_values(field),
                                    {nearest_name(value, field.choices)}));
    }

    void check_output() {
        if (!request_.output.format.empty()) check_choice(kOutputFormat, request_.output.format);
        check(kOutputCrf, request_.output.crf);
    }

    const JobRequest& request_;
    const FamilyRules* rules_;
    std::vector<Error> faults_;
};

template <class Value>
void fill(std::optional<Value>& value, const std::optional<Value>& fallback) {
    if (!value) value = fallback;
}
/// What cannot be unset has its default already.
template <class Value>
void fill(Value&, const Value&) {}

} // namespace

JobRequest with_defaults(JobRequest request, const FamilyRules& rules) {
    // Who chose one guidance did not mean the default of the other.
    if (rules.two_experts && !request.guidance2 && request.guidance) request.guidance2 = request.guidance;
    for (const FieldRow& row : field_rows())
        std::visit([&](auto slot) { fill(request.*slot, rules.defaults.*slot); }, row.slot);
    return request;
}

std::vector<Error> validate(const JobRequest& request, const FamilyRules& rules) {
    return Checker(request, &rules).run();
}

std::vector<Error> validate_without_model(const JobRequest& request) {
    return Checker(request, nullptr).run();
}

} // namespace reelmesh
