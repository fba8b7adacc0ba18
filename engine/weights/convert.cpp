#include "weights/convert.h"

#include "base/check.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>

namespace reelmesh {
namespace {

/// Calls function with a null pointer to the C++ type.
template <class F>
void with_type(at::ScalarType type, F&& function) {
    switch (type) {
    case at::kFloat: return function(static_cast<float*>(nullptr));
    case at::kDouble: return function(static_cast<double*>(nullptr));
    case at::kBFloat16: return function(static_cast<c10::BFloat16*>(nullptr));
    case at::kHalf: return function(static_cast<c10::Half*>(nullptr));
    default: REELMESH_CHECK(!"a floating point type");
    }
}

template <class From, class To>
void convert(const From* from, To* to, std::size_t count) {
    // Half-precision types convert through float only, and so does LibTorch from double.
    for (std::size_t index = 0; index < count; ++index)
        if constexpr (std::is_same_v<From, double> || std::is_same_v<To, double>)
            to[index] = static_cast<To>(
                static_cast<std::conditional_t<std::is_same_v<To, double>, To, float>>(from[index]));
        else
            to[index] = static_cast<To>(static_cast<float>(from[index]));
}

} // namespace

std::optional<at::ScalarType> readable_type(std::string_view dtype) {
    if (dtype == "F32") return at::kFloat;
    if (dtype == "BF16") return at::kBFloat16;
    if (dtype == "F16") return at::kHalf;
    if (dtype == "F64") return at::kDouble;
    return std::nullopt;
}

void convert_elements(const void* from, at::ScalarType from_type, void* to, at::ScalarType to_type,
                      std::size_t count) {
    with_type(from_type, [&]<class From>(From*) {
        with_type(to_type, [&]<class To>(To*) {
            convert(static_cast<const From*>(from), static_cast<To*>(to), count);
        });
    });
}

} // namespace reelmesh
