// Decoded frames of the job that runs and of the one that ended last; no more, since a clip may take
// gigabytes. Plain class, GUI thread.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/engine.h"
#include "models/job_item.h"

namespace reelmesh {

class DecodedClips {
public:
    /// A job begins to run.
    void begin(std::uint64_t key);
    void add(std::uint64_t key, const std::vector<Frame>& frames);
    /// Keeps the frames in place of those of the job before. False: there are none.
    bool keep(const JobItem& job);
    /// Of a job that did not come to its end, or has left the list.
    void drop(std::uint64_t key);

    bool has(std::uint64_t key) const { return key != 0 && key == keptKey_; }
    /// Of the job that has() names.
    const MediaClip& clip() const { return kept_; }

private:
    std::uint64_t key_ = 0, keptKey_ = 0;
    std::vector<Frame> frames_;
    MediaClip kept_;
};

} // namespace reelmesh
