// Which frame of a clip is due at a given time. Late frames are skipped, never slowed; the position survives
// a change of clip. No timer of its own: times are handed in.
#pragma once

#include <cstdint>

namespace reelmesh {

class FrameClock {
public:
    enum class AtEnd { Loop, Stop };

    /// Keeps the frame if the rate stays, else the position in seconds.
    void setClip(double framesPerSecond, int frames, std::int64_t now_ns);
    void play(std::int64_t now_ns);
    void pause(std::int64_t now_ns);
    void seek(int frame, std::int64_t now_ns);
    /// Below 0: backwards; never 0.
    void setSpeed(double speed, std::int64_t now_ns);
    void setAtEnd(AtEnd atEnd, std::int64_t now_ns);

    bool isPlaying() const { return playing_; }
    double speed() const { return speed_; }
    AtEnd atEnd() const { return atEnd_; }
    /// -1 without frames.
    int frame(std::int64_t now_ns) const;
    /// Seconds since the first frame began.
    double seconds(std::int64_t now_ns) const;
    /// Stops at the end, and the end has come.
    bool isOver(std::int64_t now_ns) const;
    /// Until the next frame is due; playing only.
    std::int64_t untilNext_ns(std::int64_t now_ns) const;

private:
    double raw(std::int64_t now_ns) const;      ///< frames since the start, not wrapped
    double position(std::int64_t now_ns) const; ///< within the clip
    void rebase(std::int64_t now_ns);

    double framesPerSecond_ = 0;
    int frames_ = 0;
    double speed_ = 1;
    AtEnd atEnd_ = AtEnd::Loop;
    bool playing_ = false;
    double base_ = 0; ///< position at since_ns_
    std::int64_t since_ns_ = 0;
};

} // namespace reelmesh
