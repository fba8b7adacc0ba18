#include "decoded_clips.h"

#include <utility>

namespace reelmesh {

void DecodedClips::begin(std::uint64_t key) {
    key_ = key;
    frames_.clear();
}

void DecodedClips::add(std::uint64_t key, const std::vector<Frame>& frames) {
    if (key == key_) frames_.insert(frames_.end(), frames.begin(), frames.end());
}

bool DecodedClips::keep(const JobItem& job) {
    if (job.key != key_ || frames_.empty()) return false;
    kept_ = {};
    kept_.frames = std::exchange(frames_, {});
    kept_.fps = job.request.fps.value_or(FrameRate{});
    kept_.job_json = job_to_json(job.request, JobScope::EmbeddedSettings);
    kept_.width = kept_.frames.front().width;
    kept_.height = kept_.frames.front().height;
    keptKey_ = std::exchange(key_, 0);
    return true;
}

void DecodedClips::drop(std::uint64_t key) {
    if (key == key_) begin(0);
    if (key != keptKey_) return;
    kept_ = {};
    keptKey_ = 0;
}

} // namespace reelmesh
