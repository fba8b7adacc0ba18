// Follows jobs to their ends. Lives on the thread that calls wait(); interrupts cancel what has not ended.
#pragma once

#include <map>
#include <vector>

#include <engine/engine.h>

#include "console.h"
#include "progress_bar.h"

namespace reelmesh {

class JobWatch : private EventSink {
public:
    JobWatch(Engine& engine, Console& console) : engine_(engine), console_(console), bar_(console) {}

    /// The last state of each job, in the order given.
    std::vector<JobStateChanged> wait(const std::vector<JobId>& jobs);

private:
    using EventSink::on;
    void on(const JobStateChanged& change) override;
    void on(const StepDone& step) override { bar_.show(step); }
    void on(const StageProgress& progress) override { bar_.show(progress); }

    void cancel_all(const std::vector<JobId>& jobs);

    Engine& engine_;
    Console& console_;
    ProgressBar bar_;
    std::map<JobId, JobStateChanged> ended_;
};

} // namespace reelmesh
