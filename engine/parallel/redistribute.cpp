#include "parallel/redistribute.h"

#include <ATen/ATen.h>

#include <numeric>
#include <vector>

#include "base/check.h"
#include "comm/parts.h"

namespace reelmesh {
namespace {

at::Tensor make_out(const at::Tensor& like, std::int64_t dim, std::int64_t length, at::Tensor out) {
    if (out.defined()) return out;
    std::vector<std::int64_t> shape = like.sizes().vec();
    shape[static_cast<std::size_t>(dim)] = length;
    return at::empty(shape, like.options());
}

at::Tensor gather(const at::Tensor& mine, std::int64_t dim, const std::vector<std::int64_t>& sizes,
                  Communicator& group, const CallTag& tag, at::Tensor out) {
    at::Tensor all = make_out(mine, dim, Parts(sizes).total(), std::move(out));
    group.all_gather(all, mine, sizes, dim, tag);
    return all;
}

at::Tensor gather_branches(const at::Tensor& local, RankContext& context, const CallTag& tag,
                           at::Tensor out) {
    const std::vector<std::int64_t> ones(static_cast<std::size_t>(context.shape().degree(Axis::Cfg)), 1);
    return gather(local.contiguous().unsqueeze(0), 0, ones, context.communicator(Axis::Cfg), tag,
                  std::move(out));
}

at::Tensor resplit(const MeshTensor& tensor, const Placement& to, RankContext& context, const CallTag& tag,
                   at::Tensor out) {
    const Placement& from = tensor.placement;
    REELMESH_CHECK(from.axis == to.axis && from.dim != to.dim);
    // What was cut along from.dim comes together there, and is cut along to.dim instead.
    std::vector<std::int64_t> shape = tensor.local.sizes().vec();
    shape[static_cast<std::size_t>(from.dim)] = Parts(from.sizes).total();
    shape[static_cast<std::size_t>(to.dim)] = to.sizes[static_cast<std::size_t>(context.coordinate(to.axis))];
    if (!out.defined()) out = at::empty(shape, tensor.local.options());
    REELMESH_CHECK(out.sizes() == shape);
    context.communicator(to.axis).all_to_all(out, tensor.local, from.sizes, to.sizes, from.dim, to.dim, tag);
    return out;
}

at::Tensor part_of(const at::Tensor& whole, const Placement& to, const RankContext& context) {
    if (to.kind == PlacementKind::Branch) return whole.select(0, context.coordinate(Axis::Cfg));
    const Parts parts(to.sizes);
    const int own = context.coordinate(to.axis);
    return whole.narrow(to.dim, parts.start(own), parts.size(own));
}

} // namespace

MeshTensor redistribute(const MeshTensor& tensor, const Placement& to, RankContext& context,
                        const CallTag& tag, at::Tensor out) {
    const Placement& from = tensor.placement;
    if (from == to) return tensor;
    if (from.kind == PlacementKind::Whole) {
        REELMESH_CHECK(to.kind == PlacementKind::Branch || to.kind == PlacementKind::Split);
        return {part_of(tensor.local, to, context), to};
    }
    if (from.kind != PlacementKind::Branch && !context.has_group(from.axis)) return {tensor.local, to};
    if (from.kind == PlacementKind::Split && to.kind == PlacementKind::Split)
        return {resplit(tensor, to, context, tag, std::move(out)), to};
    REELMESH_CHECK(to.kind == PlacementKind::Whole);
    if (from.kind == PlacementKind::Branch)
        return {gather_branches(tensor.local, context, tag, std::move(out)), to};
    if (from.kind == PlacementKind::Split)
        return {
            gather(tensor.local, from.dim, from.sizes, context.communicator(from.axis), tag, std::move(out)),
            to};
    at::Tensor sum = tensor.local;
    context.communicator(from.axis).all_reduce(sum, ReduceOp::Sum, tag);
    return {sum, to};
}

} // namespace reelmesh
