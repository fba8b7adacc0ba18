// The fixed-size records that every stage, step, block and transfer leave behind.
#pragma once

#include <cstdint>
#include <type_traits>

namespace reelmesh {

enum class EventKind : std::uint8_t {
    None,
    Stage,    ///< whole stage of a rank or the host
    Step,     ///< one denoising step
    Block,    ///< one transformer block, VAE chunk, encoder layer group
    Part,     ///< attention, linear ... within a block (detail 2)
    Exchange, ///< one collective: wait and transfer
    Preview,
    Encode, ///< one media packet group
};

/// What a block or stage did, for colour and totals.
enum class EventWork : std::uint8_t { None, Load, Text, Attention, Linear, Norm, Cfg, Wait, Vae, Copy, Save };

enum class ExchangeOp : std::uint8_t { AllToAll, AllGather, SendRecv, AllReduce, Broadcast, Barrier };
/// "all_to_all" ...
const char* exchange_op_name(ExchangeOp op);

/// What a collective is for.
enum class ExchangePurpose : std::uint8_t {
    Other,
    Qkv,       ///< tokens to heads
    Output,    ///< heads to tokens
    RingKv,    ///< keys and values to the next rank
    NormSum,   ///< sums of squares of split heads
    TensorSum, ///< partial sums of a row-split product
    Pipe,
    Cfg,       ///< velocities of the guidance branches
    Halo,      ///< border rows of a picture
    VaeGather, ///< rows for attention within a frame
    Text,
};
/// "qkv", "o", "ring_kv", "norm_sumsq", "tp_sum", "pipe", "cfg", "halo", "vae_gather", "text", "other".
const char* exchange_purpose_name(ExchangePurpose purpose);

/// The ranks that a collective ran over: an axis of the mesh, or the bands of a picture.
enum class ExchangeGroup : std::uint8_t { Tensor, Ulysses, Ring, Pipe, Cfg, Data, Vae };
/// "tp", "ulysses", "ring", "pipe", "cfg", "dp", "vae".
const char* exchange_group_name(ExchangeGroup group);

enum class LinkKind : std::uint8_t { Memory, SameDevice, Peer, Staged, Network };
const char* link_kind_name(LinkKind kind);

/// One interval of one rank or of the host. An exchange is one rank's part of a collective: the parts of one
/// call share (group, first_rank, sequence).
struct TelemetryEvent {
    std::int64_t start_ns = 0; ///< steady clock, one base for all ranks
    std::int64_t end_ns = 0;
    std::uint64_t bytes = 0;          ///< sent, exchanges only
    std::uint64_t bytes_received = 0; ///< exchanges only
    std::int64_t wait_ns = 0;         ///< part of the span spent waiting for peers
    std::int32_t step = -1;
    std::int32_t block = -1;
    std::uint32_t sequence = 0;   ///< of the group, from 1; exchanges only
    std::int16_t rank = -1;       ///< -1: host
    std::int16_t first_rank = -1; ///< lowest rank of the group: names it among those of its axis
    std::uint16_t detail = 0;     ///< Stage as number for stages; ExchangePurpose; guidance branch for blocks
    EventKind kind = EventKind::None;
    EventWork work = EventWork::None;
    ExchangeGroup group = ExchangeGroup::Vae; ///< exchanges only, as all below
    ExchangeOp op = ExchangeOp::Barrier;
    std::uint8_t group_size = 0;
    LinkKind link = LinkKind::Memory;
};
static_assert(sizeof(TelemetryEvent) == 64 && std::is_trivially_copyable_v<TelemetryEvent>);

/// Nanoseconds that recording an event takes on this machine: two readings of the clock and a write. Measured
/// once a process, in less than a millisecond. Any thread.
double event_cost_ns();

/// One collective as one rank saw it. Members of a call are joined on (group, first_rank, sequence): wait is
/// the time until the last of them was ready, transfer the rest.
struct ExchangeRecord {
    std::int64_t issued_ns = 0; ///< host, steady clock
    std::int64_t ready_ns = 0;  ///< this rank's data was there
    std::int64_t start_ns = 0;  ///< first byte could move
    std::int64_t end_ns = 0;
    std::uint64_t bytes_sent = 0, bytes_received = 0;
    std::uint64_t sequence = 0; ///< of the group, from 1
    std::int64_t wait_ns = 0;   ///< spent by this rank waiting for peers
    std::uint32_t job = 0;
    std::int32_t step = -1;
    std::int32_t layer = -1;
    std::int16_t rank = -1;       ///< in the mesh
    std::int16_t first_rank = -1; ///< lowest rank of the group: names it among those of its axis
    std::int16_t hop = -1, branch = -1, expert = -1, patch = -1;
    std::int16_t group_size = 0, index = 0; ///< index: place in the group
    ExchangeGroup group = ExchangeGroup::Vae;
    ExchangeOp op = ExchangeOp::Barrier;
    ExchangePurpose purpose = ExchangePurpose::Other;
    LinkKind link = LinkKind::Memory;
    std::uint8_t element_bytes = 0;
    std::uint8_t unused[3] = {};
};
static_assert(sizeof(ExchangeRecord) == 104 && std::is_trivially_copyable_v<ExchangeRecord>);

} // namespace reelmesh
