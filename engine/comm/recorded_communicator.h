// Decorator: leaves a record and an Exchange event for every collective, and counts bytes. The last records
// of a rank are kept for reports, all of them go to the ledger of the job.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <vector>

#include "comm/communicator.h"
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

/// Whom a communicator's records belong to. All pointers outlive it; they are the rank's own but for sent.
struct RecordTarget {
    ExchangeGroup group = ExchangeGroup::Vae;
    int rank = 0;       ///< in the mesh
    int first_rank = 0; ///< lowest rank of the group
    const CallScope* scope = nullptr;
    TelemetryWriter* writer = nullptr;
    ExchangeLedger* ledger = nullptr;
    SentBytes* sent = nullptr;
};

std::shared_ptr<Communicator> make_recorded(std::shared_ptr<Communicator> inner, const RecordTarget& target);

} // namespace reelmesh
