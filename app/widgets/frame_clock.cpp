#include "frame_clock.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

constexpr double kSecond_ns = 1e9;
/// Rates such as 24000/1001 do not divide evenly: a frame that is due must not fall to the one before it.
constexpr double kRounding = 1e-6;

double wrapped(double position, int frames) {
    const double rest = std::fmod(position, frames);
    return rest < 0 ? rest + frames : rest;
}

} // namespace

void FrameClock::setClip(double framesPerSecond, int frames, std::int64_t now_ns) {
    const double here = position(now_ns);
    double next = here;
    if (framesPerSecond != framesPerSecond_)
        next = framesPerSecond_ > 0 ? here / framesPerSecond_ * framesPerSecond + kRounding : 0;
    framesPerSecond_ = framesPerSecond;
    frames_ = frames;
    base_ = frames > 0 ? wrapped(next, frames) : 0;
    if (!playing_) base_ = std::floor(base_);
    since_ns_ = now_ns;
}

void FrameClock::play(std::int64_t now_ns) {
    rebase(now_ns);
    // From the end on there is nothing left to play: begin again.
    if (atEnd_ == AtEnd::Stop && frames_ > 0) {
        if (speed_ > 0 && base_ >= frames_ - 1) base_ = 0;
        if (speed_ < 0 && base_ < 1) base_ = frames_ - kRounding;
    }
    playing_ = true;
}

void FrameClock::pause(std::int64_t now_ns) {
    base_ = std::floor(position(now_ns));
    playing_ = false;
}

void FrameClock::seek(int frame, std::int64_t now_ns) {
    base_ = frames_ > 0 ? wrapped(frame, frames_) : 0;
    since_ns_ = now_ns;
}

void FrameClock::setSpeed(double speed, std::int64_t now_ns) {
    rebase(now_ns);
    speed_ = speed;
}

void FrameClock::setAtEnd(AtEnd atEnd, std::int64_t now_ns) {
    rebase(now_ns);
    atEnd_ = atEnd;
}

int FrameClock::frame(std::int64_t now_ns) const {
    if (frames_ <= 0) return -1;
    return std::min(static_cast<int>(position(now_ns)), frames_ - 1);
}

double FrameClock::seconds(std::int64_t now_ns) const {
    return framesPerSecond_ > 0 ? std::floor(position(now_ns)) / framesPerSecond_ : 0;
}

bool FrameClock::isOver(std::int64_t now_ns) const {
    if (atEnd_ == AtEnd::Loop || frames_ <= 0) return false;
    return speed_ > 0 ? raw(now_ns) >= frames_ : raw(now_ns) <= 0;
}

std::int64_t FrameClock::untilNext_ns(std::int64_t now_ns) const {
    if (framesPerSecond_ <= 0) return static_cast<std::int64_t>(kSecond_ns);
    const double here = raw(now_ns);
    const double left = speed_ > 0 ? std::floor(here) + 1 - here : here - (std::ceil(here) - 1);
    return std::max<std::int64_t>(
        1, static_cast<std::int64_t>(std::ceil(left / (framesPerSecond_ * std::abs(speed_)) * kSecond_ns)));
}

double FrameClock::raw(std::int64_t now_ns) const {
    if (!playing_) return base_;
    return base_ + static_cast<double>(now_ns - since_ns_) / kSecond_ns * framesPerSecond_ * speed_;
}

double FrameClock::position(std::int64_t now_ns) const {
    if (frames_ <= 0) return 0;
    if (atEnd_ == AtEnd::Loop) return wrapped(raw(now_ns), frames_);
    return std::clamp(raw(now_ns), 0.0, frames_ - kRounding);
}

void FrameClock::rebase(std::int64_t now_ns) {
    base_ = position(now_ns);
    since_ns_ = now_ns;
}

} // namespace reelmesh
