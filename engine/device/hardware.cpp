#include "device/hardware.h"

#include <malloc.h>
#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>

#include "device/cuda_backend.h"
#include "device/hardware_presets.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

/// Value of "Key:  123 kB" in bytes; 0 if absent.
std::uint64_t kib_field(const std::string& path, const std::string& key) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with(key + ":")) continue;
        std::istringstream fields(line.substr(key.size() + 1));
        std::uint64_t kib = 0;
        fields >> kib;
        return kib * 1024;
    }
    return 0;
}

/// A control group's number; "max" or absent: unlimited.
std::uint64_t group_limit(const std::string& file) {
    const std::string line = first_line("/sys/fs/cgroup/" + file);
    if (line.empty() || !std::isdigit(static_cast<unsigned char>(line.front()))) return kUnlimited;
    return std::stoull(line);
}

int usable_cores() {
    cpu_set_t set;
    CPU_ZERO(&set);
    int cores = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
    // cpu.max: "quota period" in microseconds.
    std::istringstream quota(first_line("/sys/fs/cgroup/cpu.max"));
    double allowed = 0, period = 0;
    if (quota >> allowed >> period && period > 0)
        cores = std::min(cores, std::max(1, static_cast<int>(allowed / period + 0.5)));
    return std::max(1, cores);
}

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
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return kUnlimited;
    const std::uint64_t used = kib_field("/proc/self/status", "VmSize");
    return limit.rlim_cur > used ? limit.rlim_cur - used : 0;
}

/// Jobs compute on CPU ranks, whatever cards there are: listing those among the devices would plan for them.
std::string why_no_gpu(const CudaPart& part) {
    if (!part.backend) return part.reason;
    std::string names;
    for (const CudaDevice& device : part.backend->devices())
        names += (names.empty() ? "" : ", ") + device.name;
    if (names.empty()) return "An NVIDIA driver is here, but it shows no device; ranks run on the CPU.";
    return names + ": here, but jobs of this build compute on the CPU only; ranks run on the CPU.";
}

} // namespace

std::uint64_t resident_bytes() {
    return kib_field("/proc/self/status", "VmRSS");
}

std::uint64_t peak_resident_bytes() {
    return kib_field("/proc/self/status", "VmHWM");
}

void release_freed_memory() {
    malloc_trim(0);
}

void reset_peak_resident_bytes() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

HardwareSnapshot hardware_snapshot() {
    const CudaPart& cuda = cuda_part(); // before memory is read: its libraries count
    HardwareSnapshot snapshot;
    snapshot.cores = usable_cores();
    snapshot.total_bytes = std::min(kib_field("/proc/meminfo", "MemTotal"), group_limit("memory.max"));
    snapshot.available_bytes = kib_field("/proc/meminfo", "MemAvailable");
    const std::uint64_t group = std::min(group_limit("memory.max"), group_limit("memory.high"));
    const std::uint64_t group_used = group == kUnlimited ? 0 : group_limit("memory.current");
    if (group != kUnlimited)
        snapshot.available_bytes =
            std::min(snapshot.available_bytes, group > group_used ? group - group_used : 0);
    snapshot.available_bytes = std::min(snapshot.available_bytes, address_space_left());
    snapshot.process_bytes = resident_bytes();
    snapshot.devices.push_back({"cpu", cpu_name(), snapshot.total_bytes, snapshot.available_bytes,
                                cpu_multiplies_bf16(), assumed_cpu_rates(snapshot.cores)});
    snapshot.links.push_back(memory_link());
    snapshot.no_gpu_reason = why_no_gpu(cuda);
    return snapshot;
}

} // namespace reelmesh
