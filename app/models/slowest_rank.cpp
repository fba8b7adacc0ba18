#include "slowest_rank.h"

#include <algorithm>

namespace reelmesh {
namespace {

constexpr double kSlower = 1.02;

} // namespace

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

int slowestOf(const std::vector<double>& times) {
    if (times.size() < 2) return -1;
    const auto longest = std::max_element(times.begin(), times.end());
    return *longest > kSlower * median(times) ? static_cast<int>(longest - times.begin()) : -1;
}

} // namespace reelmesh
