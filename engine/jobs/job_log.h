// What one job writes into the log, in words: a line before each phase (it explains a kill, which gives no
// warning), one a step, its notices, its end. Control thread of the job.
#pragma once

#include <string>
#include <vector>

#include "base/log.h"

namespace reelmesh {

class JobLog {
public:
    JobLog(Log& log, JobId job) : log_(log), job_(job) {}

    void queued(const JobRequest& request);
    void mesh_ready(const std::string& mesh, int ranks, double seconds);
    void stage_begins(Stage stage);
    /// Bytes that the ranks sent since the step before.
    void telemetry(const std::vector<TelemetryEvent>& events);
    void step(const StepDone& done);
    void ended(const JobStateChanged& end);
    void write(LogLevel level, std::string text) { log_.write(level, job_, std::move(text)); }

private:
    double median_step() const;

    Log& log_;
    const JobId job_;
    double sent_bytes_ = 0;
    std::vector<double> step_seconds_;
};

} // namespace reelmesh
