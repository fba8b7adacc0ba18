#include "vae/wan/paged_tensor.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/accumulate.h>
#include <sys/mman.h>

#include <new>

namespace reelmesh {

at::Tensor empty_paged(at::IntArrayRef sizes, c10::Device device) {
    // Below, new pages would cost more time than the holes are worth.
    constexpr std::size_t kSmallestPaged = std::size_t{1} << 20;
    const std::size_t num_bytes = static_cast<std::size_t>(c10::multiply_integers(sizes)) * sizeof(float);
    if (!device.is_cpu() || num_bytes < kSmallestPaged)
        return at::empty(sizes, at::TensorOptions(at::kFloat).device(device));
    void* pages = mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) throw std::bad_alloc();
    madvise(pages, num_bytes, MADV_HUGEPAGE); // only saves time; kernels without it refuse
    return at::from_blob(
        pages, sizes, [num_bytes](void* memory) { munmap(memory, num_bytes); }, at::kFloat);
}

} // namespace reelmesh
