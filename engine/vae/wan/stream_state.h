// What the modules of one stream remember between frames: a slot for each module that looks back in time; and
// the band of rows that a rank has of the stream's frames. The modules themselves are immutable and shared.
// One thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "parallel/halo_band.h"

namespace reelmesh {

struct StreamSlot {
    std::int64_t num_frames = 0; ///< seen so far, as far as the module counts them
    /// CausalConv: sums that the next frame, and the one after it, start from. Others: frames as they need
    /// them.
    at::Tensor first, second;
};

class StreamState {
public:
    /// band: null where the stream has whole frames; must outlive it.
    explicit StreamState(int num_slots, HaloBand* band = nullptr)
        : band_(band), slots_(static_cast<std::size_t>(num_slots)) {}
    StreamSlot& at(int slot) { return slots_.at(static_cast<std::size_t>(slot)); }
    HaloBand* band() { return band_; }

private:
    HaloBand* band_;
    std::vector<StreamSlot> slots_;
};

} // namespace reelmesh
