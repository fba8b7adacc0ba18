// One stopping point for all ranks. Before a block a rank claims it; cancelling sets the limit to
// the highest claimed block, all ranks run to it and return together, so that no collective is
// left unmatched. Any thread.
#pragma once

#include <cstdint>
#include <mutex>

namespace reelmesh {

/// Order of work inside a job, the same on every rank.
struct GatePoint {
    std::uint32_t stage = 0; ///< Stage as number
    std::uint32_t step = 0;
    std::uint32_t block = 0;
    auto operator<=>(const GatePoint&) const = default;
};

class CancelGate {
public:
    /// False: past the limit, return to the caller without doing the block. Points of one rank must not fall.
    bool claim(const GatePoint& point);
    /// Fixes the limit at the highest claimed point; repeating it changes nothing.
    void cancel();
    bool canceled() const;
    /// Open again, nothing claimed: between jobs, while no rank runs.
    void reset();

private:
    mutable std::mutex mutex_;
    GatePoint highest_;
    GatePoint limit_;
    bool canceled_ = false;
};

} // namespace reelmesh
