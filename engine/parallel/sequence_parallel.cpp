#include "parallel/sequence_parallel.h"

#include <ATen/ops/empty.h>

#include "base/split.h"
#include "parallel/redistribute.h"

namespace reelmesh {

SequenceParallel::SequenceParallel(const SequenceSplit& split, const AttentionShape& shape,
                                   RankContext& context)
    : split_(split), heads_(reelmesh::split(shape.heads, split.ulysses)),
      qkv_(at::empty({3, split.count(), shape.heads, shape.head_dim}, shape.options)), ring_(split) {
    if (!context.has_group(Axis::Ulysses)) return;
    gathered_ =
        at::empty({3, split.block_tokens(split.own_ring), heads_.size(split.own_ulysses), shape.head_dim},
                  shape.options);
    returned_ = at::empty({split.count(), shape.heads, shape.head_dim}, shape.options);
}

at::Tensor SequenceParallel::attend(double scale, int layer, RankContext& context) {
    const std::vector<std::int64_t> tokens = split_.block_slots(split_.own_ring);
    const at::Tensor all_tokens = redistribute({qkv_, Placement::split(1, Axis::Ulysses, tokens)},
                                               Placement::split(2, Axis::Ulysses, heads_.sizes), context,
                                               {ExchangePurpose::Qkv, layer}, gathered_)
                                      .local;
    const at::Tensor attended = ring_.attend(all_tokens, scale, layer, context);
    return redistribute({attended, Placement::split(1, Axis::Ulysses, heads_.sizes)},
                        Placement::split(0, Axis::Ulysses, tokens), context, {ExchangePurpose::Output, layer},
                        returned_)
        .local.flatten(1);
}

} // namespace reelmesh
