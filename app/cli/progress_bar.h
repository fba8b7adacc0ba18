// What the running jobs do, for people (a bar on a terminal, else lines) or programs (JSON lines). One
// thread.
#pragma once

#include <engine/events.h>

#include "console.h"

namespace reelmesh {

class ProgressBar {
public:
    explicit ProgressBar(Console& console) : console_(console) {}

    void show(const JobStateChanged& change);
    void show(const StepDone& step);
    void show(const StageProgress& progress);

private:
    Console& console_;
    Stage stage_ = Stage::None;
};

/// "1:34", "2:03:04", "?" for an unknown time.
std::string duration_text(double seconds);
/// "3.40 s"
std::string seconds_text(double seconds);

} // namespace reelmesh
