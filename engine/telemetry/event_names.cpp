#include <algorithm>
#include <array>
#include <limits>

#include "engine/block_part.h"
#include "engine/trace.h"

namespace reelmesh {
namespace {

const char* work_name(EventWork work) {
    static constexpr std::array kNames{"work", "load", "text layer", "block", "linear", "norm",
                                       "cfg",  "wait", "vae chunk",  "copy",  "save"};
    const auto index = static_cast<std::size_t>(work);
    return index < kNames.size() ? kNames[index] : "work";
}

} // namespace

const char* block_part_name(BlockPart part) {
    static constexpr std::array kNames{
        "part", "norm", "qkv linear", "self attention", "out linear", "cross attention", "MLP"};
    const auto index = static_cast<std::size_t>(part);
    return index < kNames.size() ? kNames[index] : "part";
}

TraceTrack track_of(const TelemetryEvent& event) {
    if (event.kind == EventKind::Exchange) return TraceTrack::Communication;
    // The encoder has its own thread, so that its spans cross those of the stages.
    const bool copies = event.kind == EventKind::Encode || event.work == EventWork::Copy;
    return copies ? TraceTrack::Copy : TraceTrack::Compute;
}

std::string event_name(const TelemetryEvent& event) {
    switch (event.kind) {
    case EventKind::Stage: return stage_name(static_cast<Stage>(event.detail));
    case EventKind::Step: return "step " + std::to_string(event.step + 1);
    case EventKind::Preview: return "preview";
    case EventKind::Encode: return "encode";
    case EventKind::Exchange:
        return std::string(exchange_purpose_name(static_cast<ExchangePurpose>(event.detail))) + " exchange";
    case EventKind::Part: return block_part_name(static_cast<BlockPart>(event.detail));
    case EventKind::Block:
        if (event.block >= 0) return std::string(work_name(event.work)) + " " + std::to_string(event.block);
        break;
    case EventKind::None: break;
    }
    return work_name(event.work);
}

const char* event_kind_name(const TelemetryEvent& event) {
    if (event.kind == EventKind::Exchange) return exchange_group_name(event.group);
    if (event.kind == EventKind::Step) return "step";
    if (event.kind == EventKind::Preview) return "preview";
    static constexpr std::array kNames{"work", "load", "text", "attention", "linear", "norm",
                                       "cfg",  "wait", "vae",  "copy",      "save"};
    const auto index = static_cast<std::size_t>(event.work);
    if (event.kind == EventKind::Block && event.work == EventWork::Attention) return "block";
    return index < kNames.size() ? kNames[index] : "work";
}

std::int64_t transfer_ns(const TelemetryEvent& event) {
    const std::int64_t span = event.end_ns - event.start_ns;
    return span - std::clamp<std::int64_t>(event.wait_ns, 0, span);
}

double bus_rate(const TelemetryEvent& event) {
    const auto bytes = static_cast<double>(std::max(event.bytes, event.bytes_received));
    const std::int64_t time = transfer_ns(event);
    if (event.kind != EventKind::Exchange || bytes == 0 || time <= 0)
        return std::numeric_limits<double>::quiet_NaN();
    const double members = std::max<int>(event.group_size, 2);
    // The root of a broadcast sends the message to each of the others.
    const double carried = event.op == ExchangeOp::Broadcast && event.bytes > event.bytes_received
                               ? bytes / (members - 1)
                               : bytes;
    return carried / (static_cast<double>(time) * 1e-9);
}

double algorithm_rate(const TelemetryEvent& event) {
    const double members = std::max<int>(event.group_size, 2);
    switch (event.op) {
    case ExchangeOp::AllToAll:
    case ExchangeOp::AllGather: return bus_rate(event) * members / (members - 1);
    case ExchangeOp::AllReduce: return bus_rate(event) * members / (2 * (members - 1));
    case ExchangeOp::SendRecv:
    case ExchangeOp::Broadcast:
    case ExchangeOp::Barrier: break;
    }
    return bus_rate(event);
}

CollectiveKey collective_of(const TelemetryEvent& event) {
    return {event.group, event.group_size, event.first_rank, event.sequence};
}

TraceSpan trace_span(std::span<const TelemetryEvent> events) {
    TraceSpan span;
    if (events.empty()) return span;
    span = {events.front().start_ns, events.front().end_ns};
    for (const TelemetryEvent& event : events) {
        span.begin_ns = std::min(span.begin_ns, event.start_ns);
        span.end_ns = std::max(span.end_ns, event.end_ns);
    }
    return span;
}

} // namespace reelmesh
