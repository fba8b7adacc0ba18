// What a Part event's detail says: the piece of a transformer block that ran.
#pragma once

#include <cstdint>

namespace reelmesh {

enum class BlockPart : std::uint8_t { Other, Norm, QkvLinear, SelfAttention, OutLinear, CrossAttention, Mlp };
/// "self attention" ...
const char* block_part_name(BlockPart part);

} // namespace reelmesh
