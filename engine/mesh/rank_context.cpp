#include "mesh/rank_context.h"

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
    : rank_(rank), shape_(shape), device_(device), clock_(device), gate_(gate), writer_(writer) {}

void RankContext::write_between(TelemetryEvent event, const ClockMark& start, const ClockMark& end) {
    clock_.when_reached(end, [writer = writer_, event, start, end]() mutable {
        event.start_ns = *start.time_ns();
        event.end_ns = *end.time_ns();
        writer->write(event);
    });
}

Communicator& RankContext::communicator(Axis axis) {
    REELMESH_CHECK(has_group(axis));
    return *groups_[static_cast<std::size_t>(group_of(axis))];
}

std::int64_t RankContext::waited_ns() {
    clock_.settle();
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
    // The host runs at most two blocks ahead of the device: a cancel is obeyed that soon.
    context.block_ends_.front().wait();
    context.clock_.settle();
    context.scope_.branch = static_cast<std::int16_t>(branch);
    event_.kind = EventKind::Block;
    event_.work = work;
    event_.step = context.scope_.step;
    event_.block = block;
    event_.detail = static_cast<std::uint16_t>(branch);
    start_ = context.clock_.mark();
}

RankContext::Block::~Block() {
    try {
        const ClockMark end = context_.clock_.mark();
        context_.block_ends_.front() = std::exchange(context_.block_ends_.back(), end);
        if (context_.scope_.detail >= 1) context_.write_between(event_, start_, end);
    } catch (const std::exception&) {
        // A device that fails says so at the next call.
    }
}

void RankContext::write_part(BlockPart part, int block, const ClockMark& start, const ClockMark& end) {
    TelemetryEvent event;
    event.kind = EventKind::Part;
    event.work = work_of(part);
    event.step = scope_.step;
    event.block = block;
    event.detail = static_cast<std::uint16_t>(part);
    write_between(event, start, end);
}

RankContext::Part::Part(RankContext& context, BlockPart part, int block)
    : context_(context), part_(part), block_(block) {
    if (context.records_parts()) start_ = context.clock_.mark();
}

RankContext::Part::~Part() {
    if (!context_.records_parts()) return;
    try {
        context_.write_part(part_, block_, start_, context_.clock_.mark());
    } catch (const std::exception&) {
        // As for a block.
    }
}

} // namespace reelmesh
