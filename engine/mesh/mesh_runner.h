// A mesh of ranks, one thread each, kept between jobs. run() has every rank call the same
// function and waits for all; the first error aborts the others and is thrown. Owned and called
// by the control thread; cancel gate, bytes and telemetry may be read from any thread.
#pragma once

#include <c10/core/Device.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/split.h"
#include "comm/checked_communicator.h"
#include "comm/gpu_pairs.h"
#include "comm/recorded_communicator.h"
#include "mesh/axis.h"
#include "mesh/cancel_gate.h"
#include "mesh/rank_context.h"
#include "mesh/stream_pool.h"

namespace reelmesh {

/// Where tests take hold of a mesh.
struct MeshHooks {
    /// Put around every communicator of every rank, under the records.
    std::function<std::shared_ptr<Communicator>(int rank, ExchangeGroup group, std::shared_ptr<Communicator>)>
        wrap;
    RankContext::BlockHook block;
    /// Groups of one rank too: the parallel path on one rank.
    bool groups_of_one = false;
};

/// When all ranks of a group are held to have issued the same call before it runs.
enum class CheckCalls { Never, FirstStep, Always };

struct MeshOptions {
    MeshShape shape; ///< one replica: data degree 1
    int threads = 1; ///< over all ranks: each gets split(threads, ranks), at least one
    /// Of a wait for a peer. Unset: ten minutes, then ten times the last step, at least half a minute.
    std::optional<std::chrono::milliseconds> deadline;
    CheckCalls check = CheckCalls::FirstStep;
    std::vector<double> slot_weights; ///< relative speeds of the sequence slots; empty: all alike
    std::vector<c10::Device> devices; ///< one a rank, several ranks may share one; empty: all on the CPU
    GpuPairs staged;                  ///< GPUs that exchange through the host
    GpuPairs indirect;                ///< and those whose copies the driver takes there: records say so
    /// Where ranks on devices get their streams; null: a pool of the mesh's own.
    std::shared_ptr<StreamPool> streams;
    MeshHooks hooks;
};

class MeshRunner {
public:
    explicit MeshRunner(const MeshOptions& options);
    ~MeshRunner();
    MeshRunner(const MeshRunner&) = delete;
    MeshRunner& operator=(const MeshRunner&) = delete;

    const MeshShape& shape() const { return options_.shape; }
    const std::vector<double>& slot_weights() const { return options_.slot_weights; }
    int ranks() const { return options_.shape.ranks(); }
    const std::vector<c10::Device>& devices() const { return options_.devices; }
    int threads() const { return options_.threads; }
    CancelGate& gate() { return gate_; }
    TelemetryWriter& writer(int rank);

    /// Clears bytes and records; records carry the job's number. detail: RunOptions::detail.
    void begin_job(std::uint32_t job, int detail = 1);
    /// A step is complete: its time sets the deadline, and with CheckCalls::FirstStep the ranks have shown
    /// that they issue the same calls.
    void step_took(double seconds);
    /// Makes the group of the first `members` ranks for a decode; 1 or less: none.
    void set_vae_group(int members);
    /// Bytes sent along each axis, and "vae", since the job began, all ranks.
    std::map<std::string, std::uint64_t> sent_bytes() const;
    /// Of all ranks, while none runs.
    std::vector<ExchangeRecord> records() const;

    /// Every rank calls the function once. Throws the first error, with its rank; Canceled when all ranks
    /// stopped at the gate. After any other error the communicators are gone: usable() is false and a new
    /// mesh is needed.
    void run(const std::function<void(RankContext&)>& function);
    bool usable() const { return usable_; }

private:
    struct Rank;

    void make_group(ExchangeGroup group, const std::vector<int>& members);
    LinkKind link_between(int from, int to) const;
    LinkKind slowest_link(const std::vector<int>& members) const;
    void set_deadline(std::chrono::milliseconds deadline);
    void for_each_communicator(const std::function<void(Communicator&)>& function);

    MeshOptions options_;
    std::chrono::milliseconds deadline_;
    CancelGate gate_;
    CheckSwitch checks_;
    std::map<ExchangeGroup, std::unique_ptr<SentBytes>> sent_;
    std::map<int, std::vector<std::shared_ptr<Communicator>>> vae_groups_; ///< by number of members
    std::vector<std::unique_ptr<Rank>> ranks_;
    bool usable_ = true;
};

} // namespace reelmesh
