// What the engine tells: three channels, three rules. Lifecycle events are never lost, preview
// notices are latest-wins, telemetry drops the oldest and counts.
#pragma once

#include <cstdint>
#include <limits>
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
    std::vector<std::string> devices; ///< one a rank: "cpu", "cuda:0"
    StageTimings timings;
    std::map<std::string, std::uint64_t> bytes_by_axis; ///< sent, all ranks
    std::vector<std::uint64_t> peak_bytes;              ///< one a device
    std::vector<std::string> notices;                   ///< what was changed or left out, one sentence each
    bool partial = false;                               ///< ended before its last step and decoded as it was
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

enum class LogLevel { Debug, Info, Warning, Error };

/// One line of the log; more than 200 a second are folded into one that counts them.
struct LogLine {
    LogLevel level = LogLevel::Info;
    std::int64_t time_ms = 0; ///< since 1970, UTC
    JobId job = 0;
    std::string text;
};

/// Unknown figures are NaN: a quantity that nobody measured is never 0.
inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// A GPU as its driver sees it now.
struct DeviceLoad {
    std::string id, name, bus_id, uuid; ///< "cuda:0", "NVIDIA H200", "00000000:18:00.0"
    double utilization = kUnknown;      ///< 0 ... 1
    double memory_used_bytes = kUnknown, memory_total_bytes = kUnknown;
    double power_w = kUnknown, power_limit_w = kUnknown, energy_j = kUnknown;
    double temperature_c = kUnknown;
    double sm_mhz = kUnknown, sm_max_mhz = kUnknown;
    double pcie_generation = kUnknown, pcie_width = kUnknown;
    double pcie_rx_bytes_per_s = kUnknown, pcie_tx_bytes_per_s = kUnknown;
    double nvlink_rx_bytes_per_s = kUnknown, nvlink_tx_bytes_per_s = kUnknown;
    std::vector<std::string> throttle; ///< reasons in words; empty: none
    std::string lost;                  ///< why the device answers no more; "": it does
};

/// The threads that compute one CPU rank.
struct RankLoad {
    int rank = 0;
    int threads = 0;
    double cores = kUnknown; ///< busy on average since the sample before
};

struct MachineLoad {
    int cores = 0;
    double cores_busy = kUnknown;    ///< of the machine
    double process_cores = kUnknown; ///< of them by this process
    double resident_bytes = kUnknown, available_bytes = kUnknown;
    double limit_bytes = kUnknown; ///< of the control group, else all RAM
    double memory_pressure =
        kUnknown; ///< share of the last 10 s that some task stood still for memory, 0 ... 1
};

struct LoadSample {
    std::int64_t time_ns = 0; ///< clock of the telemetry events
    std::vector<DeviceLoad> devices;
    std::vector<RankLoad> ranks;
    MachineLoad machine;
    std::string driver;        ///< version; "": there is none
    std::string no_gpu_reason; ///< one sentence; "": there is a GPU
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
    virtual void on(const LogLine&) {}
    virtual void on(const LoadSample&) {}
};

} // namespace reelmesh
