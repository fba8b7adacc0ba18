// Pairs of GPUs, in either order.
#pragma once

#include <c10/core/Device.h>

#include <algorithm>
#include <set>
#include <utility>

namespace reelmesh {

class GpuPairs {
public:
    void add(c10::Device a, c10::Device b) { pairs_.insert(ordered(a, b)); }
    bool has(c10::Device a, c10::Device b) const { return pairs_.contains(ordered(a, b)); }
    bool empty() const { return pairs_.empty(); }
    bool operator==(const GpuPairs&) const = default;

private:
    static std::pair<int, int> ordered(c10::Device a, c10::Device b) {
        return std::minmax<int>({a.index(), b.index()});
    }
    std::set<std::pair<int, int>> pairs_;
};

} // namespace reelmesh
