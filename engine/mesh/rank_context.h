// All that a rank has: its place in the mesh, its communicators, the gate and the recorder.
// Passed down, never global; used by its rank thread alone.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "comm/communicator.h"
#include "comm/recorded_communicator.h"
#include "comm/stream_clock.h"
#include "engine/block_part.h"
#include "engine/error.h"
#include "engine/telemetry.h"
#include "mesh/axis.h"
#include "mesh/cancel_gate.h"
#include "telemetry/writer.h"

namespace reelmesh {

/// The group of an axis in records.
constexpr ExchangeGroup group_of(Axis axis) {
    return static_cast<ExchangeGroup>(axis);
}

/// A rank's communicators, by ExchangeGroup; null where it has none.
using RankGroups = std::array<std::shared_ptr<Communicator>, 7>;

class RankContext {
public:
    /// Called with every block after it is claimed: tests make ranks fail or dawdle here.
    using BlockHook = std::function<void(const RankContext& context, int block)>;

    RankContext(int rank, MeshShape shape, CancelGate* gate, TelemetryWriter* writer,
                c10::Device device = at::kCPU);

    int rank() const { return rank_; }
    /// Where the rank's tensors are.
    c10::Device device() const { return device_; }
    const MeshShape& shape() const { return shape_; }
    /// Place on an axis, 0 where the axis has degree 1.
    int coordinate(Axis axis) const { return shape_.coordinate(rank_, axis); }
    /// Whether something has to move along the axis: its degree is above 1, or a test asks for groups of one.
    bool has_group(Axis axis) const { return groups_[static_cast<std::size_t>(group_of(axis))] != nullptr; }
    /// Of the group along the axis that this rank is in; Internal error where there is none.
    Communicator& communicator(Axis axis);
    /// Over the ranks that decode one clip together; null: this rank takes no part, or decodes alone.
    Communicator* vae_group() { return groups_[static_cast<std::size_t>(ExchangeGroup::Vae)].get(); }
    RankGroups& groups() { return groups_; }
    TelemetryWriter& writer() { return *writer_; }
    StreamClock& clock() { return clock_; }
    /// Time spent waiting for peers, over all groups; on a device as far as its stream has got.
    std::int64_t waited_ns();
    /// Relative speeds of the sequence slots ring * U + ulysses; empty: all alike.
    const std::vector<double>& slot_weights() const { return slot_weights_; }
    void set_slot_weights(std::vector<double> weights) { slot_weights_ = std::move(weights); }
    void set_block_hook(BlockHook hook) { block_hook_ = std::move(hook); }

    /// Where the following blocks belong: claims are made under it.
    void enter(Stage stage, int step, int block_offset);
    Stage stage() const { return stage_; }
    int step() const { return scope_.step; }
    /// What records of collectives say.
    CallScope& scope() { return scope_; }
    const CallScope& scope() const { return scope_; }

    /// A block of work: claimed at construction (throws Canceled past the gate's limit), recorded at
    /// destruction.
    class Block {
    public:
        Block(RankContext& context, int block, EventWork work, int branch = 0);
        ~Block();
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;

    private:
        RankContext& context_;
        TelemetryEvent event_;
        ClockMark start_;
    };

    /// Whether parts of blocks are recorded.
    bool records_parts() const { return scope_.detail >= 2; }
    /// Records a part of a block, the rank's own thread only.
    void write_part(BlockPart part, int block, const ClockMark& start, const ClockMark& end);
    /// A part of a block of work, recorded at destruction where parts are.
    class Part {
    public:
        Part(RankContext& context, BlockPart part, int block);
        ~Part();
        Part(const Part&) = delete;
        Part& operator=(const Part&) = delete;

    private:
        RankContext& context_;
        BlockPart part_;
        int block_;
        ClockMark start_;
    };

private:
    /// On a device behind the work, which nobody waits for.
    void write_between(TelemetryEvent event, const ClockMark& start, const ClockMark& end);

    int rank_;
    MeshShape shape_;
    c10::Device device_;
    StreamClock clock_;
    std::array<ClockMark, 2> block_ends_; ///< of the last two blocks, older first
    RankGroups groups_;
    CancelGate* gate_;
    TelemetryWriter* writer_;
    std::vector<double> slot_weights_;
    BlockHook block_hook_;
    Stage stage_ = Stage::None;
    CallScope scope_;
    int block_offset_ = 0;
};

} // namespace reelmesh
