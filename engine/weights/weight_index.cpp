#include "weights/weight_index.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "base/json_text.h"
#include "base/regular_file.h"
#include "weights/first_verdict.h"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <set>

namespace reelmesh {
namespace {

using nlohmann::json;

constexpr ErrorCode kVerdictOrder[] = {ErrorCode::DuplicateName, ErrorCode::UnsafeName,
                                       ErrorCode::IndexSyntax};

/// Receives the index token by token; keys it does not know are skipped whatever they hold.
class IndexReader : public json::json_sax_t {
public:
    explicit IndexReader(const std::string& file) : file_(file), verdict_(kVerdictOrder) {}

    WeightIndex index;
    void throw_if_refused() {
        if (broken_) fail(ErrorCode::IndexSyntax, {{"file", file_}, {"reason", "no JSON object"}});
        if (index.file_of.empty()) note_syntax("weight_map is missing or empty");
        verdict_.throw_if_any();
    }

    bool null() override { return other_value(); }
    bool boolean(bool) override { return other_value(); }
    bool binary(binary_t&) override { return other_value(); }
    bool number_integer(number_integer_t) override { return other_value(); }
    bool number_float(number_float_t, const string_t&) override { return other_value(); }
    bool number_unsigned(number_unsigned_t value) override {
        if (depth_ == 2 && section_ == "metadata" && key_ == "total_size") index.total_size = value;
        return other_value();
    }
    bool string(string_t& value) override {
        if (!in_map()) return other_value();
        if (verdict_.takes(ErrorCode::UnsafeName)) note_unsafe(value);
        index.file_of.insert_or_assign(std::move(key_), std::move(value));
        return true;
    }
    bool start_object(std::size_t) override {
        const bool is_map = depth_ == 1 && section_ == "weight_map";
        if (!is_map) other_value();
        ++depth_;
        return true;
    }
    bool key(string_t& value) override {
        if (depth_ == 1) {
            if (!sections_.insert(value).second) note_duplicate(value);
            section_ = std::move(value);
            return true;
        }
        key_ = std::move(value);
        if (in_map() && index.file_of.contains(key_)) note_duplicate(key_);
        return true;
    }
    bool end_object() override {
        --depth_;
        return true;
    }
    bool start_array(std::size_t) override {
        other_value();
        // What a list holds is no map, whatever key it stands under.
        if (depth_ == 1) section_.clear();
        ++depth_;
        return true;
    }
    bool end_array() override { return end_object(); }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override {
        broken_ = true;
        return false;
    }

private:
    bool in_map() const { return depth_ == 2 && section_ == "weight_map"; }

    /// Anything but a file name: fine outside weight_map, and the start of the root itself.
    bool other_value() {
        if (in_map())
            note_syntax("weight_map: " + excerpt(key_) + " names no file");
        else if (depth_ == 1 && section_ == "weight_map")
            note_syntax("weight_map is no object");
        return true;
    }
    void note_syntax(const std::string& reason) {
        if (verdict_.takes(ErrorCode::IndexSyntax))
            verdict_.note(ErrorCode::IndexSyntax, {{"file", file_}, {"reason", reason}});
    }
    void note_duplicate(const std::string& name) {
        verdict_.note(ErrorCode::DuplicateName, {{"file", file_}, {"name", excerpt(name)}});
    }
    void note_unsafe(const std::string& name) {
        try {
            check_file_name(file_, name);
        } catch (const EngineException& exception) {
            verdict_.note(
                ErrorCode::UnsafeName,
                {{"file", file_}, {"name", excerpt(name)}, {"reason", exception.error().text("reason")}});
        }
    }

    const std::string& file_;
    FirstVerdict verdict_;
    std::size_t depth_ = 0;
    std::string section_, key_;
    std::set<std::string> sections_;
    bool broken_ = false;
};

} // namespace

WeightIndex parse_weight_index(std::string_view text, const std::string& file) {
    IndexReader reader(file);
    const JsonText characters(text);
    json::sax_parse(characters.begin(), characters.end(), &reader);
    reader.throw_if_refused();
    return std::move(reader.index);
}

} // namespace reelmesh
