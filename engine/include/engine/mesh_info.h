// What the machine has: devices, memory, the links between them. Plain values, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelmesh {

struct DeviceSummary {
    std::string id;   ///< "cpu", "cuda:0"
    std::string name; ///< "AMD EPYC 9354", "NVIDIA H200"
    std::uint64_t total_bytes = 0;
    std::uint64_t free_bytes = 0;
    bool fast_bf16 = false; ///< multiplies bf16 faster than fp32
};

struct HardwareSnapshot {
    int cores = 1;                      ///< that this process may use
    std::uint64_t total_bytes = 0;      ///< RAM, or the control group's limit if that is lower
    std::uint64_t available_bytes = 0;  ///< RAM that can be had without swapping, limits included
    std::uint64_t process_bytes = 0;    ///< resident now: what the plan's peak starts from
    std::vector<DeviceSummary> devices; ///< at least the CPU
    std::string no_gpu_reason;          ///< one sentence; "": there is a GPU
};

} // namespace reelmesh
