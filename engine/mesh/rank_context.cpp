#include "mesh/rank_context.h"

#include "base/check.h"

namespace reelmesh {

RankContext::RankContext(int rank, MeshShape shape,
                         std::map<Axis, std::shared_ptr<Communicator>> communicators, CancelGate* gate,
                         TelemetryWriter* writer)
    : rank_(rank), shape_(shape), communicators_(std::move(communicators)), gate_(gate), writer_(writer) {}

Communicator& RankContext::communicator(Axis axis) {
    const auto found = communicators_.find(axis);
    REELMESH_CHECK(found != communicators_.end());
    return *found->second;
}

void RankContext::enter(Stage stage, int step, int block_offset) {
    stage_ = stage;
    step_ = step;
    block_offset_ = block_offset;
}

RankContext::Block::Block(RankContext& context, int block, EventWork work, int branch) : context_(context) {
    const GatePoint point{static_cast<std::uint32_t>(context.stage_),
                          static_cast<std::uint32_t>(context.step_ + 1),
                          static_cast<std::uint32_t>(context.block_offset_ + block)};
    if (!context.gate_->claim(point)) fail(ErrorCode::Canceled);
    event_.kind = EventKind::Block;
    event_.work = work;
    event_.step = context.step_;
    event_.block = block;
    event_.detail = static_cast<std::uint16_t>(branch);
    event_.start_ns = steady_now_ns();
}

RankContext::Block::~Block() {
    event_.end_ns = steady_now_ns();
    context_.writer_->write(event_);
}

} // namespace reelmesh
