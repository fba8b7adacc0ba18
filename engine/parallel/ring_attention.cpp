#include "parallel/ring_attention.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "ops/attention.h"
#include "ops/online_attention.h"

namespace reelmesh {
namespace {

/// [tokens, heads, head_dim] as [heads, tokens, head_dim], a view.
at::Tensor by_head(const at::Tensor& rows) {
    return rows.transpose(0, 1);
}

} // namespace

at::Tensor RingAttention::attend(const at::Tensor& qkv, double scale, int layer, RankContext& context) {
    const at::Tensor queries = qkv[0];
    if (split_.ring == 1) {
        const RankContext::Part part(context, BlockPart::SelfAttention, layer);
        return ops::attention(by_head(queries), by_head(qkv[1]), by_head(qkv[2]), scale)
            .transpose(0, 1)
            .contiguous();
    }

    Communicator& group = context.communicator(Axis::Ring);
    const int ranks = split_.ring, own = split_.own_ring;
    const int next = (own + 1) % ranks, previous = (own + ranks - 1) % ranks;
    if (!blocks_[0].defined()) {
        std::int64_t largest = 0;
        for (int block = 0; block < ranks; ++block)
            largest = std::max(largest, split_.block_tokens(block));
        for (at::Tensor& buffer : blocks_)
            buffer = at::empty({2, largest, qkv.size(2), qkv.size(3)}, qkv.options());
    }
    ops::OnlineAttention attention(queries, scale);
    at::Tensor current = qkv.narrow(0, 1, 2);
    for (int hop = 0; hop < ranks; ++hop) {
        const bool last = hop + 1 == ranks;
        at::Tensor coming;
        if (!last) {
            const std::int64_t tokens = split_.block_tokens((own - hop - 1 + 2 * ranks) % ranks);
            // A buffer of its own for each length: parts of one block lie together.
            at::Tensor& buffer = blocks_[static_cast<std::size_t>(hop % 2)];
            coming = buffer.flatten()
                         .narrow(0, 0, 2 * tokens * qkv.size(2) * qkv.size(3))
                         .view({2, tokens, qkv.size(2), qkv.size(3)});
            std::vector<PeerTransfer> transfers{{next, current, {}}, {previous, {}, coming}};
            if (next == previous) transfers = {{next, current, coming}};
            group.start_send_recv(transfers, {ExchangePurpose::RingKv, layer, hop});
        }
        {
            const RankContext::Part part(context, BlockPart::SelfAttention, layer);
            attention.add(current[0], current[1]);
        }
        if (last) break;
        group.finish_send_recv();
        current = coming;
    }
    return attention.result();
}

} // namespace reelmesh
