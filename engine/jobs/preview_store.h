// The clips of a job by step, at most 128 MiB: when full, every second old one goes, so that the
// whole run stays walkable. Any thread.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>

#include "engine/frame.h"

namespace reelmesh {

class PreviewStore {
public:
    explicit PreviewStore(std::size_t capacity_bytes = std::size_t{128} << 20)
        : capacity_bytes_(capacity_bytes) {}

    void put(PreviewClip clip);
    /// The clip of the step, else of the nearest kept step before it; none: step -1.
    PreviewClip get(int step) const;

private:
    void thin_out();

    const std::size_t capacity_bytes_;
    mutable std::mutex mutex_; // guards all below
    std::map<int, PreviewClip> clips_;
    std::size_t bytes_ = 0;
};

} // namespace reelmesh
