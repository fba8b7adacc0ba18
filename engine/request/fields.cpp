#include "request/fields.h"

#include "request/numbers.h"

#include <algorithm>
#include <numeric>

namespace reelmesh {
namespace {

using enum FieldKind;

constexpr std::string_view kSamplers[] = {"unipc", "dpmpp_2m", "euler"};
constexpr std::string_view kDtypes[] = {"auto", "fp32", "bf16", "fp16"};
constexpr std::string_view kPreviews[] = {"off", "fast"};

const FieldRow kRows[] = {
    {{"prompt", Text, "", 0, 0, 0, {}, "What the video shows; may be empty."}, &JobRequest::prompt},
    {{"negative_prompt", Text, "", 0, 0, 0, {}, "What it shall not show; unused at a guidance of 1 or less."},
     &JobRequest::negative_prompt},
    {{"width", Integer, "px", 16, 32768, 16, {}, "Width of the picture."}, &JobRequest::width},
    {{"height", Integer, "px", 16, 32768, 16, {}, "Height of the picture."}, &JobRequest::height},
    {{"frames", Integer, "", 1, 1001, 4, {}, "Number of frames, 4n+1; 1 is a still picture."},
     &JobRequest::frames},
    {{"fps", Rational, "1/s", 1, 240, 0, {}, "Playback rate: 16, 23.976, 12.5 or 30000/1001."},
     &JobRequest::fps},
    {{"steps", Integer, "", 1, 1000, 1, {}, "Number of denoising steps."}, &JobRequest::steps},
    {{"guidance",
      Number,
      "",
      0,
      30,
      0.1,
      {},
      "How closely the prompt is followed; 1 or less turns guidance off."},
     &JobRequest::guidance},
    {{"guidance2", Number, "", 0, 30, 0.1, {}, "The same for the low-noise expert of models with two."},
     &JobRequest::guidance2},
    {{"shift",
      Number,
      "",
      0.1,
      100,
      0.1,
      {},
      "Time shift of the schedule; larger spends more steps on layout."},
     &JobRequest::shift},
    {{"sampler", Choice, "", 0, 0, 0, kSamplers, "Solver of the denoising steps."}, &JobRequest::sampler},
    {{"seed", Seed, "", 0, 18446744073709551615.0, 1, {}, "Start of the noise; drawn at random when absent."},
     &JobRequest::seed},
    {{"boundary", Number, "", 0, 1, 0.005, {}, "Noise level at which the low-noise expert takes over."},
     &JobRequest::boundary},
    {{"model", Path, "", 0, 0, 0, {}, "Model folder; the sample model when absent."}, &JobRequest::model},
    {{"dtype", Choice, "", 0, 0, 0, kDtypes, "Number format that the transformer computes in."},
     &JobRequest::dtype},
    {{"preview", Choice, "", 0, 0, 0, kPreviews, "Pictures made from the latents after each step."},
     &JobRequest::preview},
    {{"devices", List, "", 0, 0, 0, {}, "Devices to run on: cpu, or cuda:0,cuda:1."}, &JobRequest::devices},
    {{"ranks", Integer, "", 0, 4096, 1, {}, "Number of ranks; 0 is as many as the mesh asks."},
     &JobRequest::ranks},
    {{"mesh", Text, "", 0, 0, 0, {}, "How ranks share the work: auto, single, or axes such as cfg2."},
     &JobRequest::mesh},
};

std::string joined(std::span<const std::string_view> words) {
    std::string text;
    for (const std::string_view word : words) {
        if (!text.empty()) text += ", ";
        text += word;
    }
    return text;
}

/// Insertions, removals and replacements from one word to the other.
std::size_t edit_distance(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= from.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i);
        for (std::size_t j = 1; j <= to.size(); ++j) {
            const std::size_t replaced = diagonal + (from[i - 1] != to[j - 1]);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
        }
    }
    return row.back();
}

} // namespace

std::span<const FieldRow> field_rows() {
    return kRows;
}

const FieldRow* find_field(std::string_view key) {
    const auto row = std::find_if(std::begin(kRows), std::end(kRows),
                                  [&](const FieldRow& candidate) { return candidate.field.key == key; });
    return row == std::end(kRows) ? nullptr : row;
}

std::span<const RequestField> request_fields() {
    static const std::vector<RequestField> fields = [] {
        std::vector<RequestField> all;
        for (const FieldRow& row : kRows)
            all.push_back(row.field);
        return all;
    }();
    return fields;
}

std::string legal_values(const RequestField& field) {
    const std::string range = " from " + decimal_text(field.minimum) + " to " + decimal_text(field.maximum);
    switch (field.kind) {
    case Integer: return "a whole number" + range;
    case Number: return "a number" + range;
    case Rational: return "1 to 240, such as 24, 12.5 or 30000/1001";
    case Choice: return "one of " + joined(field.choices);
    case Seed: return "a whole number from 0 to 18446744073709551615";
    case List: return "cpu, or cuda:0 and so on";
    case Text:
    case Path: return "text";
    }
    return "";
}

std::string nearest_name(std::string_view typed, std::span<const std::string_view> known) {
    constexpr std::size_t kLongestTyped = 64;
    if (typed.size() > kLongestTyped) return "";
    std::size_t best = std::max<std::size_t>(2, typed.size() / 3) + 1;
    std::string nearest;
    for (const std::string_view name : known) {
        const std::size_t distance = edit_distance(typed, name);
        if (distance < best && distance < typed.size()) {
            best = distance;
            nearest = name;
        }
    }
    return nearest;
}

std::optional<Size> parse_size(std::string_view text) {
    for (const std::string_view mark : {"x", "X", "*", "\u00D7"}) {
        const std::size_t at = text.find(mark);
        if (at == std::string_view::npos) continue;
        const auto width = parse_whole<std::int64_t>(text.substr(0, at));
        const auto height = parse_whole<std::int64_t>(text.substr(at + mark.size()));
        if (width && height) return Size{*width, *height};
    }
    return std::nullopt;
}

} // namespace reelmesh
