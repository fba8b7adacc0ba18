#include "device/hardware.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "device/device_reader.h"
#include "device/hardware_presets.h"
#include "device/no_gpu_reason.h"
#include "device/proc_files.h"

namespace reelmesh {
namespace {

std::string cpu_name() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(std::min(line.size(), line.find(':') + 2));
    return "CPU";
}

bool cpu_multiplies_bf16() {
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx512bf16");
#else
    return false;
#endif
}

std::uint64_t address_space_left() {
    rlimit limit{};
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return proc::kUnlimited;
    const std::uint64_t used = proc::kib_field("/proc/self/status", "VmSize");
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

/// Asking the driver takes its time, and drivers and builds do not change under a process.
const std::string& why_no_gpu() {
    static const std::string reason = [] {
        const CudaPart& part = cuda_part();
        DriverFacts driver;
        if (part.missing != CudaPart::Missing::Driver) {
            DeviceReader reader;
            driver = reader.read(PcieRead::Skip, DeviceReader::kPatience).driver;
        }
        return no_gpu_reason(part, driver, std::getenv("CUDA_VISIBLE_DEVICES"));
    }();
    return reason;
}

} // namespace

std::uint64_t resident_bytes() {
    return proc::kib_field("/proc/self/status", "VmRSS");
}

std::uint64_t peak_resident_bytes() {
    return proc::kib_field("/proc/self/status", "VmHWM");
}

void release_freed_memory() {
    malloc_trim(0);
}

void reset_peak_resident_bytes() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

HardwareSnapshot hardware_snapshot() {
    const std::string& no_gpu_reason = why_no_gpu(); // before memory is read: CUDA's libraries count
    HardwareSnapshot snapshot;
    snapshot.cores = proc::usable_cores();
    snapshot.total_bytes = proc::memory_limit();
    snapshot.available_bytes = std::min(proc::available_memory(), address_space_left());
    snapshot.process_bytes = resident_bytes();
    snapshot.devices.push_back({"cpu", cpu_name(), snapshot.total_bytes, snapshot.available_bytes,
                                cpu_multiplies_bf16(), assumed_cpu_rates(snapshot.cores)});
    snapshot.links.push_back(memory_link());
    snapshot.no_gpu_reason = no_gpu_reason;
    return snapshot;
}

} // namespace reelmesh
