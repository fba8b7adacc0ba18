#include "weights/dtype.h"

#include <algorithm>
#include <cstddef>

namespace reelmesh {
namespace {

struct DtypeRow {
    std::string_view name;
    std::uint64_t bits;
};

constexpr DtypeRow kDtypes[] = {
    {"F32", 32}, {"BF16", 16},   {"F16", 16},    {"F64", 64},    {"BOOL", 8},        {"U8", 8},
    {"I8", 8},   {"F8_E5M2", 8}, {"F8_E4M3", 8}, {"F8_E8M0", 8}, {"F8_E4M3FNUZ", 8}, {"F8_E5M2FNUZ", 8},
    {"I16", 16}, {"U16", 16},    {"I32", 32},    {"U32", 32},    {"I64", 64},        {"U64", 64},
    {"C64", 64}, {"F4", 4},      {"F6_E2M3", 6}, {"F6_E3M2", 6},
};

constexpr std::size_t kShownDimensions = 16;

} // namespace

std::optional<std::uint64_t> dtype_bits(std::string_view dtype) {
    for (const DtypeRow& row : kDtypes)
        if (row.name == dtype) return row.bits;
    return std::nullopt;
}

std::optional<std::uint64_t> tensor_bytes(const std::vector<std::int64_t>& shape, std::uint64_t bits) {
    if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return 0;
    std::uint64_t total = bits;
    for (const std::int64_t dimension : shape)
        if (__builtin_mul_overflow(total, static_cast<std::uint64_t>(dimension), &total)) return std::nullopt;
    if (total % 8 != 0) return std::nullopt;
    return total / 8;
}

std::string shape_text(const std::vector<std::int64_t>& shape) {
    std::string text = "[";
    for (std::size_t index = 0; index < std::min(shape.size(), kShownDimensions); ++index)
        text += (index == 0 ? "" : ", ") + std::to_string(shape[index]);
    return text + (shape.size() > kShownDimensions ? ", ...]" : "]");
}

} // namespace reelmesh
