#include "comm/peer/announce.h"

#if defined(__SANITIZE_THREAD__)

extern "C" {
void __tsan_read_range(void* address, unsigned long size);
void __tsan_write_range(void* address, unsigned long size);
}

namespace reelmesh {
namespace {

/// Calls for every run of bytes that lies together.
void for_each_run(const at::Tensor& tensor, void (*announce)(void*, unsigned long)) {
    if (!tensor.defined() || tensor.numel() == 0 || !tensor.device().is_cpu()) return;
    if (tensor.is_contiguous()) return announce(tensor.data_ptr(), tensor.nbytes());
    for (std::int64_t i = 0; i < tensor.size(0); ++i)
        for_each_run(tensor.select(0, i), announce);
}

} // namespace

void announce_read(const at::Tensor& tensor) {
    for_each_run(tensor, __tsan_read_range);
}

void announce_write(const at::Tensor& tensor) {
    for_each_run(tensor, __tsan_write_range);
}

} // namespace reelmesh

#endif
