#include "device/proc_files.h"

#include <sched.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <sstream>

namespace reelmesh::proc {

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

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

std::uint64_t memory_limit() {
    return std::min(kib_field("/proc/meminfo", "MemTotal"), group_limit("memory.max"));
}

std::uint64_t available_memory() {
    const std::uint64_t available = kib_field("/proc/meminfo", "MemAvailable");
    const std::uint64_t group = std::min(group_limit("memory.max"), group_limit("memory.high"));
    if (group == kUnlimited) return available;
    const std::uint64_t used = group_limit("memory.current");
    return std::min(available, group > used ? group - used : 0);
}

std::optional<double> memory_pressure() {
    for (const char* path : {"/sys/fs/cgroup/memory.pressure", "/proc/pressure/memory"}) {
        // "some avg10=0.00 avg60=0.00 avg300=0.00 total=0"
        const std::string line = first_line(path);
        const std::size_t at = line.find("avg10=");
        if (!line.starts_with("some") || at == std::string::npos) continue;
        double percent = 0;
        if (std::istringstream(line.substr(at + 6)) >> percent) return percent / 100;
    }
    return std::nullopt;
}

} // namespace reelmesh::proc
