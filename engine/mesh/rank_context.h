// All that a rank has: its place in the mesh, its communicators, the gate and the recorder.
// Passed down, never global; used by its rank thread alone.
#pragma once

#include <cstdint>
#include <map>
#include <memory>

#include "comm/communicator.h"
#include "engine/error.h"
#include "engine/telemetry.h"
#include "mesh/axis.h"
#include "mesh/cancel_gate.h"
#include "telemetry/writer.h"

namespace reelmesh {

class RankContext {
public:
    RankContext(int rank, MeshShape shape, std::map<Axis, std::shared_ptr<Communicator>> communicators,
                CancelGate* gate, TelemetryWriter* writer);

    int rank() const { return rank_; }
    const MeshShape& shape() const { return shape_; }
    /// Place on an axis, 0 where the axis has degree 1.
    int coordinate(Axis axis) const { return shape_.coordinate(rank_, axis); }
    /// Of the group along the axis that this rank is in; Internal error where the degree is 1.
    Communicator& communicator(Axis axis);
    TelemetryWriter& writer() { return *writer_; }

    /// Where the following blocks belong: claims are made under it.
    void enter(Stage stage, int step, int block_offset);
    Stage stage() const { return stage_; }
    int step() const { return step_; }

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
    };

private:
    int rank_;
    MeshShape shape_;
    std::map<Axis, std::shared_ptr<Communicator>> communicators_;
    CancelGate* gate_;
    TelemetryWriter* writer_;
    Stage stage_ = Stage::None;
    int step_ = -1;
    int block_offset_ = 0;
};

} // namespace reelmesh
