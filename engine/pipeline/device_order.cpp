#include "pipeline/device_order.h"

#include <algorithm>
#include <numeric>

namespace reelmesh {
namespace {

/// So many orders of a mesh are all tried: a plan has dozens of meshes and 50 ms.
constexpr double kMostOrders = 100;
constexpr int kMostRounds = 8;
/// Sums of the same numbers in another order.
constexpr double kSame = 1e-9;

class Search {
public:
    explicit Search(const OrderRequest& request) : request_(request) {
        for (int device = 0; device < request.devices; ++device) {
            int kind = 0;
            while (kind < device &&
                   (kinds_[static_cast<std::size_t>(kind)] != kind || !request.interchangeable(kind, device)))
                ++kind;
            kinds_.push_back(kind);
        }
    }

    std::vector<int> run() {
        if (num_orders() <= kMostOrders) {
            extend();
            return best_;
        }
        return improve();
    }

private:
    /// Upper bound of the orders that differ in kinds.
    double num_orders() const {
        std::vector<int> members(kinds_.size(), 0);
        for (const int kind : kinds_)
            ++members[static_cast<std::size_t>(kind)];
        if (*std::max_element(members.begin(), members.end()) == request_.devices) return 1;
        double orders = 1;
        for (int i = 0; i < request_.ranks; ++i)
            orders *= request_.devices - i;
        for (const int count : members)
            for (int i = 2; i <= count && request_.ranks == request_.devices; ++i)
                orders /= i;
        return orders;
    }

    void consider(const std::vector<int>& order) {
        const double seconds = request_.seconds(order);
        if (!best_.empty() && seconds >= best_seconds_ * (1 - kSame)) return;
        best_seconds_ = seconds;
        best_ = order;
    }

    /// In lexicographic order; of devices of a kind the lowest that is free comes first.
    void extend() {
        if (static_cast<int>(order_.size()) == request_.ranks) return consider(order_);
        std::vector<bool> tried(kinds_.size(), false);
        for (int device = 0; device < request_.devices; ++device) {
            const auto kind = static_cast<std::size_t>(kinds_[static_cast<std::size_t>(device)]);
            if (tried[kind] || std::find(order_.begin(), order_.end(), device) != order_.end()) continue;
            tried[kind] = true;
            order_.push_back(device);
            extend();
            order_.pop_back();
        }
    }

    std::vector<int> improve() {
        std::vector<int> all(static_cast<std::size_t>(request_.devices));
        std::iota(all.begin(), all.end(), 0);
        const auto ranks = static_cast<std::size_t>(request_.ranks);
        const auto chosen = [&] { return std::vector<int>(all.begin(), all.begin() + request_.ranks); };
        consider(chosen());
        for (int round = 0; round < kMostRounds; ++round) {
            const double before = best_seconds_;
            for (std::size_t i = 0; i < ranks; ++i)
                for (std::size_t j = i + 1; j < all.size(); ++j) {
                    if (kinds_[static_cast<std::size_t>(all[i])] == kinds_[static_cast<std::size_t>(all[j])])
                        continue;
                    std::swap(all[i], all[j]);
                    const double least = best_seconds_;
                    consider(chosen());
                    if (best_seconds_ == least) std::swap(all[i], all[j]);
                }
            if (best_seconds_ == before) break;
        }
        return best_;
    }

    const OrderRequest& request_;
    std::vector<int> kinds_; ///< of each device: the first one like it
    std::vector<int> order_, best_;
    double best_seconds_ = 0;
};

} // namespace

std::vector<int> best_device_order(const OrderRequest& request) {
    return Search(request).run();
}

} // namespace reelmesh
