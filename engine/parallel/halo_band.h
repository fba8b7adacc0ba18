// A picture cut into bands of rows, one a rank of an own one-dimensional group, top to bottom. A rank asks
// its neighbours for the rows beyond its band before each operation that looks at them; only at the true
// border of the picture there are none. One thread; all members make the same calls.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "comm/communicator.h"
#include "comm/parts.h"

namespace reelmesh {

/// Rows directly above and below a band; undefined: the picture ends there.
struct BorderRows {
    at::Tensor above, below;
};

class HaloBand {
public:
    /// rows: of each band at the coarsest scale, at least one each; one entry a member of the group.
    HaloBand(Communicator& group, std::vector<std::int64_t> rows);

    std::int64_t first_row() const { return rows_.start(group_.rank()); }
    std::int64_t num_rows() const { return rows_.size(group_.rank()); }

    /// Gives the first own row to the rank above and the last one to the rank below; one exchange. Rows of
    /// one shape on all ranks, contiguous.
    BorderRows exchange(const at::Tensor& first, const at::Tensor& last);
    /// The same where nobody looks up: the first own row goes up, the result is the row below.
    at::Tensor exchange_below(const at::Tensor& first);
    /// The rows of all bands in order. own [num_rows() * scale, ...], contiguous.
    at::Tensor gather(const at::Tensor& own);

private:
    Communicator& group_;
    Parts rows_;
};

} // namespace reelmesh
