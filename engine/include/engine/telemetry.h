// The fixed-size event that every stage, step, block and transfer leaves behind.
#pragma once

#include <cstdint>
#include <type_traits>

namespace reelmesh {

enum class EventKind : std::uint16_t {
    None,
    Stage,    ///< whole stage of a rank or the host
    Step,     ///< one denoising step
    Block,    ///< one transformer block, VAE chunk, encoder layer group
    Exchange, ///< one collective: wait and transfer
    Preview,
    Encode, ///< one media packet group
};

/// What a block or stage did, for colour and totals.
enum class EventWork : std::uint16_t { None, Load, Text, Attention, Linear, Cfg, Wait, Vae, Copy, Save };

struct TelemetryEvent {
    std::int64_t start_ns = 0; ///< steady clock, one base for all ranks
    std::int64_t end_ns = 0;
    std::uint64_t bytes = 0;  ///< sent, exchanges only
    std::int64_t wait_ns = 0; ///< part of the span spent waiting for peers
    std::int32_t step = -1;
    std::int32_t block = -1;
    std::int16_t rank = -1; ///< -1: host
    EventKind kind = EventKind::None;
    EventWork work = EventWork::None;
    std::uint16_t detail = 0; ///< Stage as number for stages; guidance branch for blocks
};
static_assert(sizeof(TelemetryEvent) == 48 && std::is_trivially_copyable_v<TelemetryEvent>);

} // namespace reelmesh
