#include "base/split.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reelmesh {

std::vector<std::int64_t> split(std::int64_t whole, int parts) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(parts), whole / parts);
    for (std::int64_t i = 0; i < whole % parts; ++i)
        ++sizes[static_cast<std::size_t>(i)];
    return sizes;
}

std::vector<std::int64_t> split(std::int64_t whole, const std::vector<double>& weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<std::int64_t> sizes;
    std::vector<std::pair<double, std::size_t>> remainders; // negated: the largest comes first
    for (std::size_t i = 0; i < weights.size(); ++i) {
        const double share = static_cast<double>(whole) * weights[i] / sum;
        sizes.push_back(static_cast<std::int64_t>(share));
        remainders.emplace_back(static_cast<double>(sizes.back()) - share, i);
    }
    std::sort(remainders.begin(), remainders.end());
    const std::int64_t left = whole - std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    for (std::int64_t i = 0; i < left; ++i)
        ++sizes[remainders[static_cast<std::size_t>(i) % remainders.size()].second];
    if (whole < static_cast<std::int64_t>(sizes.size())) return sizes;
    for (std::int64_t& size : sizes)
        if (size == 0) {
            --*std::max_element(sizes.begin(), sizes.end());
            size = 1;
        }
    return sizes;
}

} // namespace reelmesh
