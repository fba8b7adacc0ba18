#include "frame_clock.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

constexpr double kSecond_ns = 1e9;

} // namespace

void FrameClock::setClip(double framesPerSecond, int frames, std::int64_t now_ns) {
    const double seconds = framesPerSecond_ > 0 ? position(now_ns) / framesPerSecond_ : 0;
    const double duration = framesPerSecond > 0 ? frames / framesPerSecond : 0;
    base_ = duration > 0 ? std::fmod(seconds, duration) * framesPerSecond : 0;
    since_ns_ = now_ns;
    framesPerSecond_ = framesPerSecond;
    frames_ = frames;
}

void FrameClock::play(std::int64_t now_ns) {
    base_ = position(now_ns);
    since_ns_ = now_ns;
    playing_ = true;
}

void FrameClock::pause(std::int64_t now_ns) {
    base_ = std::floor(position(now_ns));
    playing_ = false;
}

void FrameClock::seek(int frame, std::int64_t now_ns) {
    base_ = frames_ > 0 ? ((frame % frames_) + frames_) % frames_ : 0;
    since_ns_ = now_ns;
}

int FrameClock::frame(std::int64_t now_ns) const {
    if (frames_ <= 0) return -1;
    return static_cast<int>(std::fmod(std::floor(position(now_ns)), frames_));
}

std::int64_t FrameClock::untilNext_ns(std::int64_t now_ns) const {
    if (framesPerSecond_ <= 0) return static_cast<std::int64_t>(kSecond_ns);
    const double here = position(now_ns);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil((std::floor(here) + 1 - here) /
                                                                         framesPerSecond_ * kSecond_ns)));
}

double FrameClock::position(std::int64_t now_ns) const {
    if (!playing_) return base_;
    return base_ + static_cast<double>(now_ns - since_ns_) / kSecond_ns * framesPerSecond_;
}

} // namespace reelmesh
