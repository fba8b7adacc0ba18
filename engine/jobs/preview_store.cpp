#include "jobs/preview_store.h"

#include <iterator>

namespace reelmesh {
namespace {

std::size_t bytes_of(const PreviewClip& clip) {
    std::size_t bytes = 0;
    for (const Frame& frame : clip.frames)
        bytes += frame.stride * static_cast<std::size_t>(frame.height);
    return bytes;
}

} // namespace

void PreviewStore::put(PreviewClip clip) {
    const std::lock_guard lock(mutex_);
    const std::size_t bytes = bytes_of(clip);
    if (bytes_ + bytes > capacity_bytes_) thin_out();
    bytes_ += bytes;
    const int step = clip.step;
    clips_[step] = std::move(clip);
}

PreviewClip PreviewStore::get(int step) const {
    const std::lock_guard lock(mutex_);
    const auto after = clips_.upper_bound(step);
    return after == clips_.begin() ? PreviewClip{} : std::prev(after)->second;
}

void PreviewStore::thin_out() {
    bool drop = false;
    for (auto clip = clips_.begin(); clip != clips_.end(); drop = !drop) {
        if (drop) bytes_ -= bytes_of(clip->second);
        clip = drop ? clips_.erase(clip) : std::next(clip);
    }
}

} // namespace reelmesh
