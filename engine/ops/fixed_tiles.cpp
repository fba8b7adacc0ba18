#include "ops/fixed_tiles.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <omp.h>

#include <algorithm>
#include <atomic>

namespace reelmesh::ops {

namespace {

// The matrix library asks OpenMP for the calling thread's team size and sums in another order when it is
// larger.
class OneThread {
public:
    OneThread() { omp_set_num_threads(1); }
    ~OneThread() { omp_set_num_threads(previous_); }
    OneThread(const OneThread&) = delete;
    OneThread& operator=(const OneThread&) = delete;

private:
    int previous_ = omp_get_max_threads();
};

} // namespace

void for_each_tile(std::int64_t tiles, const std::function<void(std::int64_t)>& work) {
    std::atomic<std::int64_t> next{0};
    // Tiles are handed out one by one: cores that others use as well finish at different times.
    at::parallel_for(0, std::min<std::int64_t>(tiles, at::get_num_threads()), 1,
                     [&](std::int64_t, std::int64_t) {
                         const c10::InferenceMode inference;
                         const OneThread one_thread;
                         for (std::int64_t tile = next++; tile < tiles; tile = next++)
                             work(tile);
                     });
}

void for_each_tile(const at::Device& device, std::int64_t tiles,
                   const std::function<void(std::int64_t)>& work) {
    if (device.is_cpu()) return for_each_tile(tiles, work);
    for (std::int64_t tile = 0; tile < tiles; ++tile)
        work(tile);
}

void for_each_row_block(const at::Device& device, std::int64_t rows,
                        const std::function<void(std::int64_t, std::int64_t)>& work) {
    if (!device.is_cpu()) return work(0, rows);
    for_each_tile((rows + kRowBlock - 1) / kRowBlock, [&](std::int64_t block) {
        const std::int64_t first = block * kRowBlock;
        work(first, std::min(kRowBlock, rows - first));
    });
}

} // namespace reelmesh::ops
