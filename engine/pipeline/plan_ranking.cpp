#include "pipeline/plan_ranking.h"

#include <algorithm>
#include <tuple>

namespace reelmesh {
namespace {

/// Times within this of the fastest count as equal.
constexpr double kSameTime = 1.02;
/// The memory figure is an upper bound up to a quarter above the truth: smaller differences are no reason to
/// send more bytes.
constexpr double kSameMemory = 1.10;

using Iterator = std::vector<Plan>::iterator;

double memory_of(const Plan& plan) {
    return static_cast<double>(plan.memory.peak());
}

bool is_simpler(const Plan& one, const Plan& other) {
    const auto key = [](const Plan& plan) {
        const auto axes = std::count(plan.mesh.begin(), plan.mesh.end(), ',') + (plan.ranks > 1 ? 1 : 0);
        return std::tuple(plan.bytes_per_step, axes, plan.mesh);
    };
    return key(one) < key(other);
}

/// Sorts by a figure and hands out groups of those that are alike: a plain comparison "within" would be
/// no order, as a chain of small differences adds up.
template <class Figure, class Function>
void sort_in_groups(Iterator first, Iterator last, double alike, Figure figure, Function inside) {
    std::stable_sort(first, last,
                     [&](const Plan& one, const Plan& other) { return figure(one) < figure(other); });
    while (first != last) {
        const double limit = figure(*first) * alike;
        const Iterator next =
            std::find_if(first, last, [&](const Plan& plan) { return figure(plan) > limit; });
        inside(first, next);
        first = next;
    }
}

} // namespace

void rank_plans(std::vector<Plan>& plans) {
    const Iterator refused =
        std::stable_partition(plans.begin(), plans.end(), [](const Plan& plan) { return !plan.refusal; });
    sort_in_groups(
        plans.begin(), refused, kSameTime, [](const Plan& plan) { return plan.total_seconds; },
        [](Iterator first, Iterator last) {
            sort_in_groups(first, last, kSameMemory, memory_of,
                           [](Iterator from, Iterator to) { std::stable_sort(from, to, is_simpler); });
        });
}

} // namespace reelmesh
