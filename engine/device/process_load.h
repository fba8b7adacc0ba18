// How busy the rank threads, this process and the machine's cores have been between two readings of /proc.
// A rank's OpenMP threads bear its name: a thread inherits the name of the one that starts it. One thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/events.h"

namespace reelmesh {

/// The rank in a thread's name as rank_worker gives it, "rank 3"; nullopt: another thread.
std::optional<int> rank_of_thread(const std::string& name);

class ProcessLoad {
public:
    struct Reading {
        std::vector<RankLoad> ranks; ///< by number; those that have a thread
        MachineLoad machine;
    };

    /// Since the reading before; the first one knows no shares of time, nor does one after a pause longer
    /// than kLongestSpan.
    Reading read();

    static constexpr std::chrono::seconds kLongestSpan{5};

private:
    struct Thread {
        int rank = -1;
        double cpu_s = 0;
    };
    using Threads = std::map<int, Thread>; ///< by id; of ranks only

    Threads threads_;
    double process_s_ = kUnknown, machine_s_ = kUnknown;
    std::chrono::steady_clock::time_point at_;
};

} // namespace reelmesh
