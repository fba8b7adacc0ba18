#include "parallel/redistribute.h"

#include <ATen/ATen.h>

#include <vector>

#include "base/check.h"

namespace reelmesh {
namespace {

MeshTensor gather_branches(const MeshTensor& tensor, RankContext& context) {
    const int branches = context.shape().degree(Axis::Cfg);
    const at::Tensor mine = tensor.local.contiguous().unsqueeze(0);
    std::vector<std::int64_t> shape = mine.sizes().vec();
    shape[0] = branches;
    at::Tensor all = at::empty(shape, mine.options());
    const std::vector<std::int64_t> ones(static_cast<std::size_t>(branches), 1);
    context.communicator(Axis::Cfg).all_gather(all, mine, ones, 0, {"guidance branches"});
    return {all, Placement::whole()};
}

} // namespace

MeshTensor redistribute(const MeshTensor& tensor, const Placement& to, RankContext& context) {
    if (tensor.placement == to) return tensor;
    const bool from_branch = tensor.placement.kind == PlacementKind::Branch;
    if (from_branch && to.kind == PlacementKind::Whole) return gather_branches(tensor, context);
    REELMESH_CHECK(tensor.placement.kind == PlacementKind::Whole && to.kind == PlacementKind::Branch);
    return {tensor.local.select(0, context.coordinate(Axis::Cfg)), to};
}

} // namespace reelmesh
