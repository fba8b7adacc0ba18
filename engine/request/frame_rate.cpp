#include "request/frame_rate.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "request/numbers.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace reelmesh {
namespace {

constexpr std::int64_t kMinRate = 1, kMaxRate = 240;
/// Fits the rationals and time scales of movie files.
constexpr std::int64_t kMaxDenominator = 1'000'000;
constexpr std::size_t kMaxDecimals = 6;

struct Ntsc {
    std::string_view text;
    FrameRate rate;
};
constexpr Ntsc kNtscRates[] = {{"23.976", {24000, 1001}}, {"29.97", {30000, 1001}}, {"59.94", {60000, 1001}}};

/// Digits alone, so that signs and exponents are refused.
std::optional<std::int64_t> digits(std::string_view text) {
    if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return std::nullopt;
    return parse_whole<std::int64_t>(text);
}

std::optional<FrameRate> read_fraction(std::string_view text, std::size_t slash) {
    const auto numerator = digits(text.substr(0, slash));
    const auto denominator = digits(text.substr(slash + 1));
    if (!numerator || !denominator) return std::nullopt;
    return FrameRate{*numerator, *denominator};
}

std::optional<FrameRate> read_decimal(std::string_view text) {
    const std::size_t point = text.find('.');
    const auto whole = digits(text.substr(0, point));
    if (!whole || *whole > kMaxRate) return std::nullopt;
    if (point == std::string_view::npos) return FrameRate{*whole, 1};
    std::string_view decimals = text.substr(point + 1);
    while (decimals.size() > 1 && decimals.back() == '0')
        decimals.remove_suffix(1);
    const auto fraction = digits(decimals);
    if (!fraction || decimals.size() > kMaxDecimals) return std::nullopt;
    std::int64_t scale = 1;
    for (std::size_t i = 0; i < decimals.size(); ++i)
        scale *= 10;
    return FrameRate{*whole * scale + *fraction, scale};
}

std::optional<FrameRate> read_rate(std::string_view text) {
    for (const Ntsc& known : kNtscRates)
        if (text == known.text) return known.rate;
    const std::size_t slash = text.find('/');
    auto rate = slash == std::string_view::npos ? read_decimal(text) : read_fraction(text, slash);
    if (!rate || rate->denominator == 0) return std::nullopt;
    const std::int64_t divisor = std::gcd(rate->numerator, rate->denominator);
    return FrameRate{rate->numerator / divisor, rate->denominator / divisor};
}

} // namespace

bool is_legal(const FrameRate& rate) {
    return rate.denominator >= 1 && rate.denominator <= kMaxDenominator &&
           rate.numerator >= kMinRate * rate.denominator && rate.numerator <= kMaxRate * rate.denominator;
}

Result<FrameRate> parse_frame_rate(std::string_view text) {
    const auto rate = read_rate(text);
    if (rate && is_legal(*rate)) return *rate;
    return make_error(ErrorCode::BadField, {{"field", "fps"},
                                            {"found", "\"" + excerpt(text) + "\""},
                                            {"needed", "1 to 240, such as 24, 12.5 or 30000/1001"}});
}

std::string frame_rate_text(const FrameRate& rate) {
    const std::string text = std::to_string(rate.numerator);
    return rate.denominator == 1 ? text : text + "/" + std::to_string(rate.denominator);
}

} // namespace reelmesh
