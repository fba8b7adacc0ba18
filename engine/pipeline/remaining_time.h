// How long a job will still take, from what its steps took so far and what decoding took before.
// Control thread.
#pragma once

#include <cstdint>
#include <vector>

namespace reelmesh {

/// Measured between jobs; the engine keeps one for each model.
struct DecodeSpeed {
    double seconds_per_pixel = 0; ///< of decoded video, per frame pixel; 0: not measured yet
};

class RemainingTime {
public:
    /// pixels: width x height x frames of the video.
    RemainingTime(int steps, double pixels, const DecodeSpeed& decode);

    void step_took(double seconds);
    /// Of the whole job; -1 before the first step and while decoding was never measured.
    double seconds(int steps_done) const;
    /// While decoding: the share that is done and the time it took.
    static double decoding(double share_done, double seconds_so_far);

private:
    int steps_;
    double decode_seconds_;
    std::vector<double> taken_;
};

} // namespace reelmesh
