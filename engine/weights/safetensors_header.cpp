#include "base/check.h"
#include "base/excerpt.h"
#include "base/json_text.h"
#include "weights/dtype.h"
#include "weights/first_verdict.h"
#include "weights/safetensors.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <tuple>

namespace reelmesh {
namespace {

using nlohmann::json;

constexpr ErrorCode kVerdictOrder[] = {
    ErrorCode::HeaderSyntax, ErrorCode::DuplicateName, ErrorCode::UnknownDtype,
    ErrorCode::BadNumber,    ErrorCode::ShapeOverflow, ErrorCode::SpanMismatch,
};

/// Receives the header token by token: memory stays in proportion to the text, whatever it nests, and keys
/// that stand twice are seen. Returning false ends the parse.
class HeaderReader : public json::json_sax_t {
public:
    explicit HeaderReader(const std::string& file) : file_(file), verdict_(kVerdictOrder) {}

    std::map<std::string, TensorEntry> tensors;
    std::map<std::string, std::string> metadata;
    void throw_if_refused() const { verdict_.throw_if_any(); }

    bool null() override { return misplaced("null"); }
    bool boolean(bool) override { return misplaced("a boolean"); }
    bool binary(binary_t&) override { return misplaced("binary data"); }
    bool number_integer(number_integer_t value) override { return bad_number(std::to_string(value)); }
    bool number_float(number_float_t, const string_t& text) override { return bad_number(text); }
    bool number_unsigned(number_unsigned_t value) override {
        if (place_ == Place::Shape) {
            too_large_ = too_large_ || value > std::numeric_limits<std::int64_t>::max();
            entry_.shape.push_back(static_cast<std::int64_t>(value));
            return true;
        }
        if (place_ != Place::Offsets) return misplaced("a number");
        if (num_offsets_ == 2) return syntax("data_offsets has more than two numbers");
        (num_offsets_++ == 0 ? entry_.begin : entry_.end) = value;
        return true;
    }
    bool string(string_t& value) override {
        if (place_ == Place::Metadata) {
            metadata.insert_or_assign(std::move(inner_key_), std::move(value));
            return true;
        }
        if (place_ != Place::Entry || inner_key_ != "dtype") return misplaced("text");
        has_dtype_ = true;
        bits_ = dtype_bits(value);
        if (bits_)
            entry_.dtype = value;
        else if (verdict_.takes(ErrorCode::UnknownDtype))
            verdict_.note(ErrorCode::UnknownDtype,
                          {{"file", file_}, {"tensor", excerpt(name_)}, {"found", excerpt(value)}});
        return true;
    }
    bool start_object(std::size_t) override {
        if (place_ == Place::Outside)
            place_ = Place::Top;
        else if (place_ == Place::Top)
            place_ = name_ == "__metadata__" ? Place::Metadata : Place::Entry;
        else
            return misplaced("an object");
        return true;
    }
    bool key(string_t& value) override {
        if (place_ == Place::Top) {
            start_entry(std::move(value));
            return true;
        }
        inner_key_ = std::move(value);
        if (place_ == Place::Metadata) {
            if (metadata.contains(inner_key_)) duplicate(inner_key_);
            return true;
        }
        const bool* seen = inner_key_ == "dtype"          ? &has_dtype_
                           : inner_key_ == "shape"        ? &has_shape_
                           : inner_key_ == "data_offsets" ? &has_offsets_
                                                          : nullptr;
        if (!seen) return syntax("unknown key " + excerpt(inner_key_));
        if (*seen) duplicate(inner_key_);
        return true;
    }
    bool end_object() override {
        if (place_ == Place::Entry && !finish_entry()) return false;
        place_ = place_ == Place::Top ? Place::Outside : Place::Top;
        return true;
    }
    bool start_array(std::size_t) override {
        if (place_ != Place::Entry || inner_key_ == "dtype") return misplaced("a list");
        place_ = inner_key_ == "shape" ? Place::Shape : Place::Offsets;
        if (place_ == Place::Shape)
            entry_.shape.clear();
        else
            num_offsets_ = 0;
        return true;
    }
    bool end_array() override {
        (place_ == Place::Shape ? has_shape_ : has_offsets_) = true;
        place_ = Place::Entry;
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token, const json::exception& error) override {
        constexpr int kNumberOverflow = 406;
        if (error.id == kNumberOverflow) return bad_number(token) && false;
        return syntax("no JSON at byte " + std::to_string(position));
    }

private:
    enum class Place { Outside, Top, Metadata, Entry, Shape, Offsets };

    void start_entry(std::string name) {
        const bool twice = name == "__metadata__" ? has_metadata_ : tensors.contains(name);
        if (twice) duplicate(name);
        has_metadata_ = has_metadata_ || name == "__metadata__";
        name_ = std::move(name);
        entry_ = {};
        bits_.reset();
        has_dtype_ = has_shape_ = has_offsets_ = too_large_ = false;
        num_offsets_ = 0;
    }

    bool finish_entry() {
        if (!has_dtype_) return syntax("no dtype");
        if (!has_shape_) return syntax("no shape");
        if (!has_offsets_ || num_offsets_ != 2) return syntax("no data_offsets of two numbers");
        if (bits_) check_span();
        entry_.shape.shrink_to_fit();
        // Names mostly come in order; the hint makes that case linear.
        tensors.emplace_hint(tensors.end(), std::move(name_), std::move(entry_));
        return true;
    }

    void check_span() {
        const auto needed = too_large_ ? std::nullopt : tensor_bytes(entry_.shape, *bits_);
        if (!needed && verdict_.takes(ErrorCode::ShapeOverflow))
            verdict_.note(ErrorCode::ShapeOverflow,
                          {{"file", file_}, {"tensor", excerpt(name_)}, {"found", shape_text(entry_.shape)}});
        const bool fits = needed && entry_.begin <= entry_.end && entry_.num_bytes() == *needed;
        if (!fits && verdict_.takes(ErrorCode::SpanMismatch))
            verdict_.note(ErrorCode::SpanMismatch,
                          {{"file", file_},
                           {"tensor", excerpt(name_)},
                           {"found_bytes", static_cast<std::int64_t>(entry_.end - entry_.begin)},
                           {"needed_bytes", needed.value_or(0)}});
    }

    void duplicate(const std::string& name) {
        if (verdict_.takes(ErrorCode::DuplicateName))
            verdict_.note(ErrorCode::DuplicateName, {{"file", file_}, {"name", excerpt(name)}});
    }

    bool bad_number(const std::string& text) {
        if (place_ != Place::Shape && place_ != Place::Offsets) return misplaced("a number");
        // A place holder, so that the number of entries stays right.
        if (place_ == Place::Offsets) ++num_offsets_;
        if (verdict_.takes(ErrorCode::BadNumber))
            verdict_.note(ErrorCode::BadNumber, {{"file", file_},
                                                 {"tensor", excerpt(name_)},
                                                 {"field", place_ == Place::Shape ? "shape" : "data_offsets"},
                                                 {"found", excerpt(text)}});
        return num_offsets_ <= 2 || syntax("data_offsets has more than two numbers");
    }

    bool misplaced(const char* what) { return syntax(std::string(what) + " where none belongs"); }

    bool syntax(const std::string& reason) {
        const std::string where = place_ == Place::Outside || name_.empty() ? "" : excerpt(name_) + ": ";
        verdict_.note(ErrorCode::HeaderSyntax, {{"file", file_}, {"reason", where + reason}});
        return false;
    }

    const std::string& file_;
    FirstVerdict verdict_;
    Place place_ = Place::Outside;
    std::string name_, inner_key_;
    TensorEntry entry_;
    std::optional<std::uint64_t> bits_;
    int num_offsets_ = 0;
    bool has_metadata_ = false, has_dtype_ = false, has_shape_ = false, has_offsets_ = false,
         too_large_ = false;
};

/// Spans in the order of the file must cover the data part exactly.
void check_cover(const std::map<std::string, TensorEntry>& tensors, std::uint64_t data_offset,
                 std::uint64_t data_bytes, const std::string& file) {
    std::vector<const std::pair<const std::string, TensorEntry>*> order;
    order.reserve(tensors.size());
    for (const auto& tensor : tensors)
        order.push_back(&tensor);
    std::sort(order.begin(), order.end(), [](const auto* left, const auto* right) {
        return std::tie(left->second.begin, left->second.end) <
               std::tie(right->second.begin, right->second.end);
    });
    std::uint64_t end = 0;
    for (const auto* tensor : order) {
        if (tensor->second.begin != end)
            fail(ErrorCode::GapOrOverlap, {{"file", file},
                                           {"tensor", excerpt(tensor->first)},
                                           {"found", tensor->second.begin},
                                           {"needed", end}});
        end = tensor->second.end;
    }
    if (end > data_bytes) {
        const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - data_offset;
        fail(ErrorCode::Truncated, {{"file", file},
                                    {"needed_bytes", data_offset + std::min(end, room)},
                                    {"found_bytes", data_offset + data_bytes}});
    }
    if (end < data_bytes) fail(ErrorCode::TrailingBytes, {{"file", file}, {"found_bytes", data_bytes - end}});
}

} // namespace

std::map<std::string, TensorEntry> parse_safetensors_header(std::string_view header, std::uint64_t data_bytes,
                                                            const std::string& file,
                                                            std::map<std::string, std::string>* metadata) {
    if (!header.starts_with('{'))
        fail(ErrorCode::HeaderSyntax, {{"file", file}, {"reason", "does not begin with {"}});
    HeaderReader reader(file);
    const JsonText text(header);
    json::sax_parse(text.begin(), text.end(), &reader);
    reader.throw_if_refused();
    constexpr std::uint64_t kLengthBytes = 8;
    check_cover(reader.tensors, kLengthBytes + header.size(), data_bytes, file);
    if (metadata) *metadata = std::move(reader.metadata);
    return std::move(reader.tensors);
}

} // namespace reelmesh
