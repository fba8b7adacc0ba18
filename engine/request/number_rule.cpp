#include "request/number_rule.h"

#include <algorithm>
#include <cmath>

#include "request/fields.h"

namespace reelmesh {
namespace {

/// Of a step: values that differ by less are the same one.
constexpr double kSame = 1e-9;

bool is_side(std::string_view key) {
    return key == "width" || key == "height";
}

} // namespace

bool NumberRule::holds(double value) const {
    // Written so that what is not a number fails.
    if (!(value >= minimum - kSame * grid && value <= maximum + kSame * grid)) return false;
    if (grid == 0) return true;
    const double position = (value - minimum) / grid;
    return std::abs(position - std::round(position)) < kSame;
}

std::vector<double> NumberRule::nearest(double value) const {
    if (std::isnan(value)) return {};
    if (value <= minimum) return {minimum};
    const double top = grid == 0 ? maximum : minimum + std::floor((maximum - minimum) / grid + kSame) * grid;
    if (value >= top) return {top};
    if (grid == 0) return {value};
    const double position = (value - minimum) / grid;
    if (std::abs(position - std::round(position)) < kSame) return {minimum + std::round(position) * grid};
    const double below = minimum + std::floor(position) * grid;
    return {below, below + grid};
}

double NumberRule::stepped(double value, int steps) const {
    if (std::isnan(value)) value = minimum;
    // Fractions of the step are typed ones: the next step up or down ends on the raster of the arrows.
    const double position = (value - minimum) / step;
    const double count = (steps > 0 ? std::floor(position + kSame) : std::ceil(position - kSame)) + steps;
    double moved = minimum + count * step;
    // Dividing by a whole number gives the double that a reader of "0.3" would get.
    const double per_unit = std::round(1 / step);
    if (grid == 0 && step < 1) moved = std::round(moved * per_unit) / per_unit;
    return nearest(moved).front();
}

std::optional<NumberRule> number_rule(const RequestField& field) {
    if (field.kind != FieldKind::Integer && field.kind != FieldKind::Number) return std::nullopt;
    if (is_side(field.key) || field.key == "frames") return std::nullopt;
    return NumberRule{field.minimum, field.maximum, field.step, field.kind == FieldKind::Integer ? 1.0 : 0.0};
}

std::optional<NumberRule> number_rule(std::string_view key, const FamilyRules& rules) {
    const auto number = [](std::int64_t value) { return static_cast<double>(value); };
    if (is_side(key))
        return NumberRule{number(rules.minimum_side), number(rules.maximum_side), number(rules.side_multiple),
                          number(rules.side_multiple)};
    if (key == "frames")
        return NumberRule{1, number(rules.maximum_frames), number(rules.frame_stride),
                          number(rules.frame_stride)};
    if (!rules.two_experts && (key == "guidance2" || key == "boundary")) return std::nullopt;
    if (key == "fps") return NumberRule{1, 240, 1, 0};
    const FieldRow* row = find_field(key);
    return row ? number_rule(row->field) : std::nullopt;
}

std::uint64_t expected_output_bytes(const JobRequest& request) {
    const auto pixels = static_cast<double>(request.width.value_or(0)) *
                        static_cast<double>(request.height.value_or(0)) *
                        static_cast<double>(request.frames.value_or(0));
    if (request.output.format == "png") return static_cast<std::uint64_t>(pixels * 3);
    // Measured on H.264 of real footage: a bit and a half a pixel at CRF 19, half of it with every 6 more.
    constexpr double kBitsPerPixel = 1.5, kCrf = 19, kHalving = 6, kContainer = 4096;
    return static_cast<std::uint64_t>(
        pixels * kBitsPerPixel / 8 * std::exp2((kCrf - request.output.crf) / kHalving) + kContainer);
}

} // namespace reelmesh
