#include "parallel/halo_band.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>

#include <algorithm>

#include "base/check.h"

namespace reelmesh {

HaloBand::HaloBand(Communicator& group, std::vector<std::int64_t> rows)
    : group_(group), rows_(std::move(rows)) {
    REELMESH_CHECK(static_cast<int>(rows_.sizes.size()) == group.size());
    REELMESH_CHECK(std::ranges::all_of(rows_.sizes, [](std::int64_t size) { return size > 0; }));
}

BorderRows HaloBand::exchange(const at::Tensor& first, const at::Tensor& last) {
    BorderRows border;
    std::vector<PeerTransfer> transfers;
    if (group_.rank() > 0)
        transfers.push_back({group_.rank() - 1, first, border.above = at::empty_like(first)});
    if (group_.rank() + 1 < group_.size())
        transfers.push_back({group_.rank() + 1, last, border.below = at::empty_like(last)});
    group_.send_recv(transfers, {ExchangePurpose::Halo});
    return border;
}

at::Tensor HaloBand::exchange_below(const at::Tensor& first) {
    at::Tensor below;
    std::vector<PeerTransfer> transfers;
    if (group_.rank() > 0) transfers.push_back({group_.rank() - 1, first, {}});
    if (group_.rank() + 1 < group_.size())
        transfers.push_back({group_.rank() + 1, {}, below = at::empty_like(first)});
    group_.send_recv(transfers, {ExchangePurpose::Halo});
    return below;
}

at::Tensor HaloBand::gather(const at::Tensor& own) {
    const std::int64_t scale = own.size(0) / num_rows();
    REELMESH_CHECK(scale * num_rows() == own.size(0));
    std::vector<std::int64_t> sizes = rows_.sizes;
    for (std::int64_t& size : sizes)
        size *= scale;
    std::vector<std::int64_t> shape = own.sizes().vec();
    shape[0] = rows_.total() * scale;
    at::Tensor all = at::empty(shape, own.options());
    group_.all_gather(all, own, sizes, 0, {ExchangePurpose::VaeGather});
    return all;
}

} // namespace reelmesh
