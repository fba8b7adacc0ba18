#include "parallel/guidance_parallel.h"

#include "base/check.h"
#include "parallel/redistribute.h"

namespace reelmesh {

std::vector<int> branches_of_rank(int branches, const RankContext& context) {
    const int degree = context.shape().degree(Axis::Cfg);
    REELMESH_CHECK(degree == 1 || degree == branches);
    if (degree > 1) return {context.coordinate(Axis::Cfg)};
    std::vector<int> all;
    for (int branch = 0; branch < branches; ++branch)
        all.push_back(branch);
    return all;
}

std::vector<std::vector<at::Tensor>>
run_branches(int branches, RankContext& context,
             const std::function<std::vector<at::Tensor>(int branch)>& velocity) {
    std::vector<std::vector<at::Tensor>> results;
    for (const int branch : branches_of_rank(branches, context))
        results.push_back(velocity(branch));
    if (static_cast<int>(results.size()) == branches) return results;

    const std::vector<at::Tensor> mine = std::move(results.front());
    context.scope().branch = -1;
    results.assign(static_cast<std::size_t>(branches), {});
    for (const at::Tensor& stream : mine) {
        const MeshTensor all =
            redistribute({stream, Placement::branch()}, Placement::whole(), context, {ExchangePurpose::Cfg});
        for (int branch = 0; branch < branches; ++branch)
            results[static_cast<std::size_t>(branch)].push_back(all.local.select(0, branch));
    }
    return results;
}

} // namespace reelmesh
