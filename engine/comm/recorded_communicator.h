// Decorator: leaves a record and an Exchange event for every collective, and counts bytes. The last records
// of a rank are kept for reports, all of them go to the ledger of the job.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "comm/communicator.h"
#include "comm/stream_clock.h"
#include "engine/telemetry.h"
#include "telemetry/writer.h"

namespace reelmesh {

/// Where a rank is in its job: what records say beside the call itself. Written and read by the rank's
/// thread.
struct CallScope {
    std::uint32_t job = 0;
    std::int32_t step = -1;
    std::int16_t branch = -1, expert = -1;
    int detail = 1; ///< RunOptions::detail: which events are kept
};

/// Bytes that the members of all groups along one axis have sent since the last reset.
struct SentBytes {
    std::atomic<std::uint64_t> bytes{0};
};

/// A rank's last kKept records. Written by its thread, read while no rank runs.
class ExchangeLedger {
public:
    static constexpr std::size_t kKept = 4096;

    void reset();
    void add(const ExchangeRecord& record);
    /// Oldest first.
    std::vector<ExchangeRecord> records() const;

private:
    std::vector<ExchangeRecord> records_;
    std::size_t next_ = 0; ///< of the ring, once it is full
};

/// When the members of a group had their data for its last calls, by the streams of their devices: the wait
/// for the slowest is not seen by the host. Any thread.
class ReadyTimes {
public:
    explicit ReadyTimes(int size) : size_(static_cast<std::size_t>(size)) {}
    void put(std::uint64_t sequence, int index, ClockMark ready);
    /// Of the members whose streams are known to have got there; nothing: of none.
    std::optional<std::int64_t> last_ns(std::uint64_t sequence) const;

private:
    static constexpr std::size_t kKept = 512; ///< more than the host runs ahead
    struct Call {
        std::uint64_t sequence = 0;
        std::vector<ClockMark> ready;
        std::vector<bool> known;
    };

    const std::size_t size_;
    mutable std::mutex mutex_;
    std::array<Call, kKept> calls_;
};

/// Whom a communicator's records belong to. All pointers outlive it; they are the rank's own but for sent.
struct RecordTarget {
    ExchangeGroup group = ExchangeGroup::Vae;
    int rank = 0;       ///< in the mesh
    int first_rank = 0; ///< lowest rank of the group
    const CallScope* scope = nullptr;
    TelemetryWriter* writer = nullptr;
    ExchangeLedger* ledger = nullptr;
    SentBytes* sent = nullptr;
    StreamClock* clock = nullptr;            ///< null: the host's
    std::shared_ptr<ReadyTimes> ready_times; ///< of the group; on devices
    LinkKind link = LinkKind::Memory;
};

std::shared_ptr<Communicator> make_recorded(std::shared_ptr<Communicator> inner, const RecordTarget& target);

} // namespace reelmesh
