#include "engine/telemetry.h"

#include <array>
#include <cstddef>

namespace reelmesh {
namespace {

template <std::size_t n, class Enum>
const char* name_in(const std::array<const char*, n>& names, Enum value) {
    const auto index = static_cast<std::size_t>(value);
    return index < n ? names[index] : "";
}

} // namespace

const char* exchange_op_name(ExchangeOp op) {
    static constexpr std::array kNames{"all_to_all", "all_gather", "send_recv",
                                       "all_reduce", "broadcast",  "barrier"};
    return name_in(kNames, op);
}

const char* exchange_purpose_name(ExchangePurpose purpose) {
    static constexpr std::array kNames{"other", "qkv", "o",    "ring_kv",    "norm_sumsq", "tp_sum",
                                       "pipe",  "cfg", "halo", "vae_gather", "text"};
    return name_in(kNames, purpose);
}

const char* exchange_group_name(ExchangeGroup group) {
    static constexpr std::array kNames{"tp", "ulysses", "ring", "pipe", "cfg", "dp", "vae"};
    return name_in(kNames, group);
}

const char* link_kind_name(LinkKind kind) {
    static constexpr std::array kNames{"memory", "same_device", "peer", "staged", "network"};
    return name_in(kNames, kind);
}

} // namespace reelmesh
