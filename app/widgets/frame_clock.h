// Which frame of a looping clip is due at a given time. Late frames are skipped, never slowed; the
// position survives a change of clip of the same duration. No timer of its own: times are handed in.
#pragma once

#include <cstdint>

namespace reelmesh {

class FrameClock {
public:
    /// Keeps the position in seconds.
    void setClip(double framesPerSecond, int frames, std::int64_t now_ns);
    void play(std::int64_t now_ns);
    void pause(std::int64_t now_ns);
    void seek(int frame, std::int64_t now_ns);

    bool isPlaying() const { return playing_; }
    /// -1 without frames.
    int frame(std::int64_t now_ns) const;
    /// Until the next frame is due; playing only.
    std::int64_t untilNext_ns(std::int64_t now_ns) const;

private:
    double position(std::int64_t now_ns) const; ///< frames since the start, not wrapped

    double framesPerSecond_ = 0;
    int frames_ = 0;
    bool playing_ = false;
    double base_ = 0; ///< position at since_ns_
    std::int64_t since_ns_ = 0;
};

} // namespace reelmesh
