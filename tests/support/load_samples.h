// Load samples for tests: a CPU with ranks, or GPUs as well.
#pragma once

#include <cmath>

#include "engine/events.h"

namespace reelmesh::testing {

inline constexpr double kGibBytes = 1024.0 * 1024 * 1024;

inline LoadSample cpu_sample(std::int64_t time_ms, int ranks, double cores_each = 0.97) {
    LoadSample sample;
    sample.time_ns = time_ms * 1'000'000;
    for (int rank = 0; rank < ranks; ++rank)
        sample.ranks.push_back({rank, 1, cores_each});
    sample.machine.cores = 2;
    sample.machine.cores_busy = 2;
    sample.machine.process_cores = 1.9;
    sample.machine.resident_bytes = 1.25 * kGibBytes;
    sample.machine.available_bytes = 5 * kGibBytes;
    sample.machine.limit_bytes = 8 * kGibBytes;
    sample.machine.memory_pressure = 0.004;
    sample.no_gpu_reason =
        "No NVIDIA driver is installed (libcuda.so.1 was not found); ranks run on the CPU.";
    return sample;
}

inline DeviceLoad gpu_load(int index) {
    DeviceLoad load;
    load.id = "cuda:" + std::to_string(index);
    load.name = "NVIDIA H100 80GB";
    const char* buses[] = {"18", "2A", "3A", "5D", "9A", "AB", "BA", "DB"};
    load.bus_id = std::string("00000000:") + buses[index % 8] + ":00.0";
    load.uuid = "GPU-" + std::to_string(index);
    load.utilization = 0.97;
    load.memory_used_bytes = 33.6 * kGibBytes;
    load.memory_total_bytes = 80 * kGibBytes;
    load.power_w = 612;
    load.power_limit_w = 700;
    load.energy_j = 1000;
    load.temperature_c = 68;
    load.sm_mhz = 1755;
    load.sm_max_mhz = 1980;
    load.pcie_generation = 5;
    load.pcie_width = 16;
    load.pcie_rx_bytes_per_s = 1e6;
    load.pcie_tx_bytes_per_s = 2e6;
    load.nvlink_rx_bytes_per_s = 5.3e9;
    load.nvlink_tx_bytes_per_s = 5.3e9;
    return load;
}

inline LoadSample gpu_sample(std::int64_t time_ms, int gpus) {
    LoadSample sample = cpu_sample(time_ms, 0);
    for (int i = 0; i < gpus; ++i)
        sample.devices.push_back(gpu_load(i));
    sample.driver = "550.90";
    sample.no_gpu_reason.clear();
    return sample;
}

} // namespace reelmesh::testing
