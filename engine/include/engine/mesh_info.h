// What the machine has: devices, memory, the links between them. Plain values, any thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace reelmesh {

/// What a device sustains in practice, which is less than what its maker promises.
struct DeviceRates {
    double gemm_flops = 80e9;      ///< matrix products, flop/s
    double attention_flops = 60e9; ///< attention, flop/s
    double memory_bytes_per_s = 10e9;
    double launch_s = 5e-6;        ///< to start an operation
    std::string basis = "assumed"; ///< assumed, preset, measured
};

struct DeviceSummary {
    std::string id;   ///< "cpu", "cuda:0"
    std::string name; ///< "AMD EPYC 9354", "NVIDIA H200"
    std::uint64_t total_bytes = 0;
    std::uint64_t free_bytes = 0;
    bool fast_bf16 = false; ///< multiplies bf16 faster than fp32
    DeviceRates rates;      ///< of the whole device, whoever shares it
};
inline bool is_cpu(const DeviceSummary& device) {
    return device.id == "cpu";
}

/// From one device to another; the same figures back unless listed apart.
struct LinkSummary {
    int from = 0, to = 0;   ///< indices into HardwareSnapshot::devices
    std::string kind;       ///< nvlink, pcie, staged (through the host), network, memory
    double bytes_per_s = 0; ///< one direction
    double latency_s = 0;
};

struct HardwareSnapshot {
    int cores = 1;                      ///< that this process may use
    std::uint64_t total_bytes = 0;      ///< RAM, or the control group's limit if that is lower
    std::uint64_t available_bytes = 0;  ///< RAM that can be had without swapping, limits included
    std::uint64_t process_bytes = 0;    ///< resident now: what the plan's peak starts from
    std::vector<DeviceSummary> devices; ///< at least the CPU
    std::vector<LinkSummary> links;     ///< pairs that are missing are staged
    std::string no_gpu_reason;          ///< one sentence; "": there is a GPU
    /// What the self-test found wrong with GPUs and what is done instead, one sentence each.
    std::vector<std::string> gpu_notices;
    std::string preset; ///< "8xh100-nvlink"; "": this machine
};

} // namespace reelmesh
