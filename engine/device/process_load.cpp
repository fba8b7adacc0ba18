#include "device/process_load.h"

#include <dirent.h>
#include <sched.h>
#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>
#include <string_view>

#include "device/hardware.h"
#include "device/proc_files.h"

namespace reelmesh {
namespace {

constexpr std::string_view kRankName = "rank ";

double ticks_per_second() {
    static const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
    return ticks;
}

struct Stat {
    std::string name;
    double cpu_s = 0;
};

/// "1234 (rank 0) R ... utime stime ...": the name may hold anything, so fields count from its last bracket.
std::optional<Stat> read_stat(const std::string& path) {
    const std::string line = proc::first_line(path);
    const std::size_t open = line.find('('), close = line.rfind(')');
    if (open == std::string::npos || close == std::string::npos || close < open) return std::nullopt;
    std::istringstream fields(line.substr(close + 1));
    std::string skipped;
    constexpr int kFieldsBeforeTime = 11; // state is the first after the name
    for (int i = 0; i < kFieldsBeforeTime; ++i)
        fields >> skipped;
    double user = 0, system = 0;
    if (!(fields >> user >> system)) return std::nullopt;
    return Stat{line.substr(open + 1, close - open - 1), (user + system) / ticks_per_second()};
}

std::vector<int> thread_ids() {
    std::vector<int> ids;
    const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc/self/task"), closedir);
    while (const dirent* entry = folder ? readdir(folder.get()) : nullptr)
        if (entry->d_name[0] != '.') ids.push_back(std::atoi(entry->d_name));
    return ids;
}

/// Busy seconds of the cores that this process may use, since boot; NaN: not to be had.
double machine_busy_s() {
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof(set), &set) != 0) return kUnknown;
    std::ifstream file("/proc/stat");
    double busy = kUnknown;
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("cpu")) break;
        int cpu = 0;
        const auto [end, error] = std::from_chars(line.data() + 3, line.data() + line.size(), cpu);
        if (error != std::errc() || !CPU_ISSET(static_cast<std::size_t>(cpu), &set)) continue;
        std::istringstream fields(end);
        double user = 0, nice = 0, system = 0, idle = 0, io_wait = 0, interrupts = 0, soft = 0, stolen = 0;
        fields >> user >> nice >> system >> idle >> io_wait >> interrupts >> soft >> stolen;
        busy = (busy == busy ? busy : 0) + (user + nice + system + interrupts + soft) / ticks_per_second();
    }
    return busy;
}

} // namespace

std::optional<int> rank_of_thread(const std::string& name) {
    if (!name.starts_with(kRankName)) return std::nullopt;
    int rank = 0;
    const char* end = name.data() + name.size();
    const auto [rest, error] = std::from_chars(name.data() + kRankName.size(), end, rank);
    if (error != std::errc() || rest != end || rank < 0) return std::nullopt;
    return rank;
}

ProcessLoad::Reading ProcessLoad::read() {
    Reading reading;
    const auto now = std::chrono::steady_clock::now();
    const double span_s = std::chrono::duration<double>(now - at_).count();
    const bool comparable = now - at_ <= kLongestSpan && span_s > 0;

    Threads threads;
    std::map<int, RankLoad> ranks;
    for (const int id : thread_ids()) {
        const std::optional<Stat> stat = read_stat("/proc/self/task/" + std::to_string(id) + "/stat");
        const std::optional<int> rank = stat ? rank_of_thread(stat->name) : std::nullopt;
        if (!rank) continue;
        threads[id] = {*rank, stat->cpu_s};
        RankLoad& load = ranks[*rank];
        load.rank = *rank;
        ++load.threads;
        if (!comparable) continue;
        // A thread that is new has worked all its time since the last reading.
        const auto before = threads_.find(id);
        const double worked = stat->cpu_s - (before == threads_.end() ? 0 : before->second.cpu_s);
        load.cores = (load.threads == 1 ? 0 : load.cores) + worked / span_s;
    }
    for (const auto& [rank, load] : ranks)
        reading.ranks.push_back(load);

    const std::optional<Stat> process = read_stat("/proc/self/stat");
    const double process_s = process ? process->cpu_s : kUnknown;
    const double machine_s = machine_busy_s();
    MachineLoad& machine = reading.machine;
    machine.cores = proc::usable_cores();
    if (comparable) {
        machine.process_cores = (process_s - process_s_) / span_s;
        machine.cores_busy = (machine_s - machine_s_) / span_s;
    }
    machine.resident_bytes = static_cast<double>(resident_bytes());
    machine.available_bytes = static_cast<double>(proc::available_memory());
    machine.limit_bytes = static_cast<double>(proc::memory_limit());
    machine.memory_pressure = proc::memory_pressure().value_or(kUnknown);

    threads_ = std::move(threads);
    process_s_ = process_s;
    machine_s_ = machine_s;
    at_ = now;
    return reading;
}

} // namespace reelmesh
