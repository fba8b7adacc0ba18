// What the modules of one stream remember between frames: a slot for each module that looks back in time. The
// modules themselves are immutable and shared. One thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace reelmesh {

struct StreamSlot {
    std::int64_t num_frames = 0; ///< seen so far, as far as the module counts them
    /// CausalConv: sums that the next frame, and the one after it, start from. Others: frames as they need
    /// them.
    at::Tensor first, second;
};

class StreamState {
public:
    explicit StreamState(int num_slots) : slots_(static_cast<std::size_t>(num_slots)) {}
    StreamSlot& at(int slot) { return slots_.at(static_cast<std::size_t>(slot)); }

private:
    std::vector<StreamSlot> slots_;
};

} // namespace reelmesh
