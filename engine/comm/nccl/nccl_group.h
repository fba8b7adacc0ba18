// What the members of one NCCL group share: the host-side board where calls are announced, one
// ProcessGroupNCCL a rank, and the watchdog. abort() may come from any thread; post() from the rank's own.
#pragma once

#include <c10/core/Event.h>
#include <c10/util/intrusive_ptr.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "comm/communicator.h"
#include "comm/peer/board.h"

namespace c10d {
class ProcessGroupNCCL;
class Work;
} // namespace c10d

namespace reelmesh {

/// Before LibTorch's first process group of the process: its own error handling would end the process, ours
/// aborts the communicators.
void disarm_process_groups();

class NcclGroup {
public:
    NcclGroup(std::span<const int> devices, const PeerOptions& options);
    ~NcclGroup();
    NcclGroup(const NcclGroup&) = delete;
    NcclGroup& operator=(const NcclGroup&) = delete;

    int size() const { return static_cast<int>(devices_.size()); }
    c10::Device device(int rank) const;
    PeerBoard& board() { return board_; }

    /// Contiguous tensors, one group of sends and receives. nullptr: nothing to do.
    c10::intrusive_ptr<c10d::Work> post(int rank, std::span<const PeerTransfer> transfers);
    /// The rank's stream will get here when its newest call is complete; the watchdog looks that it does.
    void watch(int rank, c10::Event done, std::string operation);

    void abort(const Error& error);
    void set_deadline(std::chrono::milliseconds deadline);

private:
    struct DeviceWork {
        std::optional<c10::Event> done;
        std::chrono::steady_clock::time_point since;
        std::string operation;
    };

    void connect(int rank);
    void run_watchdog();
    /// The first thing that is wrong on a device.
    std::optional<Error> find_fault();
    void abort_communicators();

    const std::vector<int> devices_;
    PeerBoard board_;
    std::vector<c10::intrusive_ptr<c10d::ProcessGroupNCCL>> ranks_; ///< empty: one rank alone
    std::mutex mutex_;                                              // guards all below
    std::condition_variable changed_;
    std::vector<DeviceWork> work_;
    std::chrono::milliseconds deadline_;
    bool stopping_ = false;
    std::thread watchdog_;
};

} // namespace reelmesh
