#include "mesh/stream_pool.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <algorithm>

namespace reelmesh {

c10::Stream StreamPool::take(c10::Device device) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(free_.begin(), free_.end(),
                                    [&](const c10::Stream& stream) { return stream.device() == device; });
    if (found == free_.end())
        return c10::impl::VirtualGuardImpl(device.type())
            .getStreamFromGlobalPool(device, /*isHighPriority=*/false);
    const c10::Stream stream = *found;
    free_.erase(found);
    return stream;
}

void StreamPool::give_back(c10::Stream stream) {
    const std::lock_guard lock(mutex_);
    free_.push_back(stream);
}

} // namespace reelmesh
