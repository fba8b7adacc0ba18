// What the engine tells: three channels, three rules. Lifecycle events are never lost, preview
// notices are latest-wins, telemetry drops the oldest and counts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/error.h"
#include "engine/frame.h"
#include "engine/request.h"
#include "engine/telemetry.h"

namespace reelmesh {

using JobId = std::uint64_t; ///< 0: none

enum class JobState { Pending, Running, Paused, Done, Failed, Canceled };
const char* job_state_name(JobState state);

struct StageTimings {
    double load = 0, text = 0, denoise = 0, decode = 0, write = 0; ///< seconds
};

/// All there is to say of a finished job: the command line's JSON.
struct JobReport {
    std::string output; ///< "": nothing was written
    std::int64_t frames = 0;
    std::uint64_t seed = 0;
    std::string mesh, dtype, sampler, encoder;
    StageTimings timings;
    std::map<std::string, std::uint64_t> bytes_by_axis; ///< sent, all ranks
    std::vector<std::uint64_t> peak_bytes;              ///< one a device
    std::vector<std::string> notices;                   ///< what was changed or left out, one sentence each
};

/// Job or stage changed.
struct JobStateChanged {
    JobId job = 0;
    JobState state = JobState::Pending;
    Stage stage = Stage::None;
    bool stopping = false; ///< cancel was asked, the gate's limit is set
    Error error;           ///< Failed only
    JobReport report;      ///< Done, Failed, Canceled
};

/// A denoising step is complete on all ranks.
struct StepDone {
    JobId job = 0;
    int step = 0; ///< counted from 0
    int steps = 0;
    double sigma = 0; ///< after the step
    double seconds = 0;
    double remaining_seconds = 0;     ///< of the whole job, decode and write included; < 0: unknown
    std::vector<double> rank_seconds; ///< busy, one a rank
};

/// Part of a stage without steps is complete: loading, text, decode, write.
struct StageProgress {
    JobId job = 0;
    Stage stage = Stage::None;
    double done = 0, total = 0;
    double remaining_seconds = -1;
};

/// Decoded frames in playing order.
struct FramesDecoded {
    JobId job = 0;
    std::int64_t first = 0;
    std::int64_t total = 0;
    std::vector<Frame> frames;
};

/// A new preview can be fetched with Engine::preview.
struct PreviewReady {
    JobId job = 0;
    int step = 0;
};

/// Receives what drain() hands out, on the thread that calls drain().
class EventSink {
public:
    virtual ~EventSink() = default;
    virtual void on(const JobStateChanged&) {}
    virtual void on(const StepDone&) {}
    virtual void on(const StageProgress&) {}
    virtual void on(const FramesDecoded&) {}
    virtual void on(const PreviewReady&) {}
    /// A batch of telemetry; dropped counts the events lost since the last batch.
    virtual void on(JobId, const std::vector<TelemetryEvent>&, std::uint64_t /*dropped*/) {}
};

} // namespace reelmesh
