// Where the parts of a divided length lie. Plain values.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace reelmesh {

struct Parts {
    std::vector<std::int64_t> sizes, first;

    explicit Parts(std::vector<std::int64_t> lengths) : sizes(std::move(lengths)), first(sizes.size()) {
        std::exclusive_scan(sizes.begin(), sizes.end(), first.begin(), std::int64_t{0});
    }
    explicit Parts(std::span<const std::int64_t> lengths)
        : Parts(std::vector(lengths.begin(), lengths.end())) {}

    std::int64_t size(int part) const { return sizes[static_cast<std::size_t>(part)]; }
    std::int64_t start(int part) const { return first[static_cast<std::size_t>(part)]; }
    std::int64_t total() const { return sizes.empty() ? 0 : first.back() + sizes.back(); }
};

/// The first whole mod count parts are one longer: the chunks of an all_reduce.
inline Parts parts_of(std::int64_t whole, int count) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(count), whole / count);
    for (std::int64_t i = 0; i < whole % count; ++i)
        ++sizes[static_cast<std::size_t>(i)];
    return Parts(std::move(sizes));
}

} // namespace reelmesh
