// What is wrong with the simulated GPUs. Any thread.
#pragma once

#include <string_view>

namespace reelmesh::testing {

enum class Broken {
    Nothing,
    PathHangs,    ///< "hang": copies between two GPUs never end
    PathCorrupts, ///< "corrupt": they bring other bytes
    Gpu1Wrong,    ///< "wrong": GPU 1 computes something else
    Full,         ///< "full": nothing is left of any GPU's memory
    Lost,         ///< "lost": every operation fails
    NoPeer,       ///< "nopeer": strided values are packed on their own device first, as without peer access
    Held,         ///< "held": copies between GPU tensors wait until it is over
};

bool is_broken(Broken what);
/// By the names above; "" and unknown ones: nothing.
void set_broken(std::string_view name);

} // namespace reelmesh::testing
