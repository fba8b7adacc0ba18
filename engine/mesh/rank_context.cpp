#include "mesh/rank_context.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <exception>
#include <utility>

#include "base/check.h"

namespace reelmesh {
namespace {

EventWork work_of(BlockPart part) {
    switch (part) {
    case BlockPart::SelfAttention:
    case BlockPart::CrossAttention: return EventWork::Attention;
    case BlockPart::Norm: return EventWork::Norm;
    case BlockPart::QkvLinear:
    case BlockPart::OutLinear:
    case BlockPart::Mlp:
    case BlockPart::Other: break;
    }
    return EventWork::Linear;
}

} // namespace

RankContext::RankContext(int rank, MeshShape shape, CancelGate* gate, TelemetryWriter* writer,
                         c10::Device device)
    : rank_(rank), shape_(shape), device_(device), gate_(gate), writer_(writer) {}

void RankContext::wait_for_block_before_last() {
    if (block_ends_.front()) block_ends_.front()->synchronize();
}

void RankContext::mark_end_of_block() {
    if (!device_.is_cuda()) return;
    block_ends_.front() = std::exchange(block_ends_.back(), c10::Event(device_.type()));
    block_ends_.back()->record(c10::impl::VirtualGuardImpl(device_.type()).getStream(device_));
}

Communicator& RankContext::communicator(Axis axis) {
    REELMESH_CHECK(has_group(axis));
    return *groups_[static_cast<std::size_t>(group_of(axis))];
}

std::int64_t RankContext::waited_ns() const {
    std::int64_t sum = 0;
    for (const auto& group : groups_)
        if (group) sum += group->waited_ns();
    return sum;
}

void RankContext::enter(Stage stage, int step, int block_offset) {
    stage_ = stage;
    scope_.step = step;
    block_offset_ = block_offset;
}

RankContext::Block::Block(RankContext& context, int block, EventWork work, int branch) : context_(context) {
    const GatePoint point{static_cast<std::uint32_t>(context.stage_),
                          static_cast<std::uint32_t>(context.scope_.step + 1),
                          static_cast<std::uint32_t>(context.block_offset_ + block)};
    if (!context.gate_->claim(point)) fail(ErrorCode::Canceled);
    if (context.block_hook_) context.block_hook_(context, block);
    context.wait_for_block_before_last();
    context.scope_.branch = static_cast<std::int16_t>(branch);
    event_.kind = EventKind::Block;
    event_.work = work;
    event_.step = context.scope_.step;
    event_.block = block;
    event_.detail = static_cast<std::uint16_t>(branch);
    event_.start_ns = steady_now_ns();
}

RankContext::Block::~Block() {
    try {
        context_.mark_end_of_block();
    } catch (const std::exception&) {
        // A device that fails says so at the next call.
    }
    event_.end_ns = steady_now_ns();
    if (context_.scope_.detail >= 1) context_.writer_->write(event_);
}

void RankContext::write_part(BlockPart part, int block, std::int64_t start_ns, std::int64_t end_ns) {
    TelemetryEvent event;
    event.kind = EventKind::Part;
    event.work = work_of(part);
    event.step = scope_.step;
    event.block = block;
    event.detail = static_cast<std::uint16_t>(part);
    event.start_ns = start_ns;
    event.end_ns = end_ns;
    writer_->write(event);
}

} // namespace reelmesh
