// What is wrong with the simulated GPUs, as the environment says: REELMESH_SIMULATED_FAULT. Read at every
// use.
#pragma once

#include <cstdlib>
#include <string_view>

namespace reelmesh::testing {

enum class Broken {
    PathHangs,    ///< "hang": copies between two GPUs never end
    PathCorrupts, ///< "corrupt": they bring other bytes
    Gpu1Wrong,    ///< "wrong": GPU 1 computes something else
    Full,         ///< "full": nothing is left of any GPU's memory
    Lost,         ///< "lost": every operation fails
};

inline bool is_broken(Broken what) {
    constexpr std::string_view kNames[] = {"hang", "corrupt", "wrong", "full", "lost"};
    const char* fault = std::getenv("REELMESH_SIMULATED_FAULT");
    return fault && kNames[static_cast<int>(what)] == fault;
}

} // namespace reelmesh::testing
