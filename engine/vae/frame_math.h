// How a decoder computes its frames.
#pragma once

namespace reelmesh {

enum class FrameMath {
    Rows,    ///< by rows in plain memory: what a CPU is best at
    Tensors, ///< by tensor arithmetic over whole frames, on any device
};

} // namespace reelmesh
