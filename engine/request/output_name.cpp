#include "engine/output_name.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>

#include "base/check.h"
#include "base/file_ops.h"

namespace reelmesh {
namespace {

constexpr std::array<std::string_view, 10> kKeys = {"date",   "seed",  "prompt", "model", "size",
                                                    "frames", "steps", "cfg",    "plan",  "count"};
constexpr std::string_view kDefaultDate = "yyyyMMdd-HHmmss";

std::string padded(int value, std::size_t digits) {
    std::string text = std::to_string(value);
    if (text.size() < digits) text.insert(0, digits - text.size(), '0');
    return text;
}

std::string date_text(std::time_t time, std::string_view form) {
    std::tm local{};
    localtime_r(&time, &local);
    struct Part {
        std::string_view name;
        int value;
    };
    const std::array<Part, 6> parts = {Part{"yyyy", local.tm_year + 1900}, Part{"MM", local.tm_mon + 1},
                                       Part{"dd", local.tm_mday},          Part{"HH", local.tm_hour},
                                       Part{"mm", local.tm_min},           Part{"ss", local.tm_sec}};
    std::string text;
    while (!form.empty()) {
        const auto* part =
            std::find_if(parts.begin(), parts.end(), [&](const Part& p) { return form.starts_with(p.name); });
        text += part == parts.end() ? std::string(1, form.front()) : padded(part->value, part->name.size());
        form.remove_prefix(part == parts.end() ? 1 : part->name.size());
    }
    return text;
}

std::string short_number(double value) {
    std::array<char, 32> buffer{};
    const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    return {buffer.data(), end.ptr};
}

template <class T>
std::string whole(const std::optional<T>& value) {
    return value ? std::to_string(*value) : "";
}

std::string model_name(const std::string& folder) {
    if (folder.empty()) return "sample";
    std::filesystem::path path(folder);
    if (!path.has_filename()) path = path.parent_path();
    return path.filename().string();
}

std::string value_of(std::string_view key, std::string_view form, const JobRequest& request,
                     const NameFacts& facts) {
    if (key == "date") return date_text(facts.time, form.empty() ? kDefaultDate : form);
    if (key == "seed") return whole(request.seed);
    if (key == "prompt") return request.prompt;
    if (key == "model") return model_name(request.model);
    if (key == "size") return whole(request.width) + "x" + whole(request.height);
    if (key == "frames") return whole(request.frames);
    if (key == "steps") return whole(request.steps);
    if (key == "cfg") return request.guidance ? short_number(*request.guidance) : "";
    if (key == "plan") return facts.plan.empty() ? request.mesh : facts.plan;
    return std::to_string(facts.count);
}

Error bad_pattern(std::string_view found) {
    std::vector<std::string> nearest;
    if (const std::string near = nearest_name(found, kKeys); !near.empty()) nearest.push_back(near);
    return make_error(ErrorCode::BadField,
                      {{"field", std::string("name")},
                       {"found", "{" + std::string(found) + "}"},
                       {"needed", std::string("one of date, seed, prompt, model, size, frames, steps, cfg, "
                                              "plan, count in braces")},
                       {"nearest", nearest}});
}

} // namespace

std::span<const std::string_view> output_name_keys() {
    return kKeys;
}

Result<std::string> output_name(std::string_view pattern, const JobRequest& request, const NameFacts& facts) {
    std::string text;
    while (!pattern.empty()) {
        const std::size_t open = pattern.find('{');
        text += pattern.substr(0, open);
        if (open == std::string_view::npos) break;
        const std::size_t close = pattern.find('}', open);
        if (close == std::string_view::npos) return bad_pattern(pattern.substr(open + 1));
        const std::string_view part = pattern.substr(open + 1, close - open - 1);
        pattern.remove_prefix(close + 1);
        const std::string_view key = part.substr(0, part.find(':'));
        const std::string_view form =
            key.size() == part.size() ? std::string_view{} : part.substr(key.size() + 1);
        if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) return bad_pattern(key);
        std::string value = value_of(key, form, request, facts);
        if (key != "date" && !form.empty()) {
            std::size_t limit = 0;
            const auto [end, error] = std::from_chars(form.data(), form.data() + form.size(), limit);
            if (error != std::errc{} || end != form.data() + form.size() || limit == 0)
                return bad_pattern(part);
            value = safe_file_name(value, limit);
        }
        text += value;
    }
    return safe_file_name(text);
}

} // namespace reelmesh
