// What a running job tells and asks of whoever runs it. Called from the control thread unless a
// function says otherwise; must not block for long.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/events.h"

namespace reelmesh {

enum class NextStep { Continue, DecodeNow };

class JobHooks {
public:
    virtual ~JobHooks() = default;
    virtual void stage(Stage stage) = 0;
    virtual void progress(Stage stage, double done, double total,
                          double remaining_seconds) = 0; ///< any thread
    virtual void step(const StepDone& done) = 0;
    virtual void preview(PreviewClip clip) = 0;
    virtual void frames(FramesDecoded decoded) = 0; ///< a rank's thread
    virtual void telemetry(const std::vector<TelemetryEvent>& events, std::uint64_t dropped) = 0;
    virtual void log(LogLevel level, const std::string& text) = 0; ///< any thread
    /// Cancel was asked: loading and writing look at it, ranks at their gate. Any thread.
    virtual bool should_stop() const = 0;
    /// Before each step: waits while the job is paused.
    virtual NextStep before_step() = 0;
};

} // namespace reelmesh
