// Which device gets which rank number. Pure.
#pragma once

#include <functional>
#include <vector>

namespace reelmesh {

struct OrderRequest {
    int ranks = 1, devices = 1;
    /// Whether two devices may change places without any effect.
    std::function<bool(int one, int other)> interchangeable;
    /// Seconds of an order, device_of_rank.
    std::function<double(const std::vector<int>&)> seconds;
};

/// The order of least seconds, ties to the lexicographically smallest. Orders that differ in interchangeable
/// devices alone are tried once; where more than a few hundred are left, the first improves by exchanges of
/// two devices until none helps.
std::vector<int> best_device_order(const OrderRequest& request);

} // namespace reelmesh
