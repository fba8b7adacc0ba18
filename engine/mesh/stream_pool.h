// Streams of devices for ranks, handed back for the ranks of the next mesh: LibTorch has 32 a device and
// never frees one, and its matrix library keeps a workspace for each that was ever used. Any thread.
#pragma once

#include <c10/core/Device.h>
#include <c10/core/Stream.h>

#include <mutex>
#include <vector>

namespace reelmesh {

class StreamPool {
public:
    /// Nobody else's until it is given back.
    c10::Stream take(c10::Device device);
    /// With nothing left to do.
    void give_back(c10::Stream stream);

private:
    std::mutex mutex_;
    std::vector<c10::Stream> free_;
};

} // namespace reelmesh
