// Work cut into tiles that depend on sizes alone. Each tile runs on one thread, matrix products
// included, so that results do not depend on how many threads there are: a mesh that halves the
// threads of a rank must not change a bit. The threads are the calling thread's OpenMP team.
#pragma once

#include <c10/core/Device.h>

#include <cstdint>
#include <functional>

namespace reelmesh::ops {

/// Rows of a block: few enough that a block's activations stay in a core's cache, many enough for matrix
/// products.
inline constexpr std::int64_t kRowBlock = 128;

/// Calls work(0 ... tiles - 1), each once, in any order. The first exception is thrown on after all have
/// ended.
void for_each_tile(std::int64_t tiles, const std::function<void(std::int64_t tile)>& work);
/// On other devices than a CPU one after another: the calling thread's stream is the one that counts.
void for_each_tile(const at::Device& device, std::int64_t tiles,
                   const std::function<void(std::int64_t tile)>& work);

/// Calls work(first, count) for consecutive blocks of kRowBlock rows; devices other than a CPU get all rows
/// at once.
void for_each_row_block(const at::Device& device, std::int64_t rows,
                        const std::function<void(std::int64_t first, std::int64_t count)>& work);

} // namespace reelmesh::ops
