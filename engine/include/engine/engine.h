// The border of the engine: what window and command line see of it. Standard library only;
// tensors never cross. Made by the one exported factory, destroyed by delete. Every function may
// be called from any thread and none waits for a job; callbacks never throw, block or call back.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/error.h"
#include "engine/events.h"
#include "engine/frame.h"
#include "engine/mesh_info.h"
#include "engine/plan.h"
#include "engine/request.h"

namespace reelmesh {

/// A prompt as the model sees it.
struct TokenizedPrompt {
    std::string text;              ///< cleaned
    std::vector<std::int64_t> ids; ///< end token included, cut to limit, not padded
    std::int64_t count = 0;        ///< tokens before the cut
    std::int64_t limit = 0;
    std::int64_t cut_byte = -1; ///< offset in text of the first byte left out; -1: nothing was
};

struct ComponentSummary {
    std::string name; ///< "transformer", "vae" ...
    std::string class_name;
    std::uint64_t parameters = 0;
    std::uint64_t file_bytes = 0;
    std::string stored_dtype; ///< "F32", "BF16", "BF16+F32"
};

struct TensorSummary {
    std::string name, dtype;
    std::vector<std::int64_t> shape;
};

/// What a path holds.
struct InspectReport {
    std::string kind; ///< model, media, tensors, job
    std::string path;
    // model
    std::string family, preset;
    std::vector<ComponentSummary> components;
    std::vector<std::string> missing, unmatched; ///< unmatched: foreign tensors, listed and ignored
    PlanSet plan;                                ///< of the request handed to inspect()
    std::vector<std::pair<std::string, std::string>> dtype_map; ///< pattern and dtype; later rows win
    // media
    std::string job_json;
    std::int64_t frames = 0;
    FrameRate fps;
    std::int64_t width = 0, height = 0;
    std::string color; ///< "bt709/bt709/bt709 limited"
    // tensor files and models with tensors asked for
    std::vector<TensorSummary> tensors;
};

enum class InspectDetail { Summary, Tensors };

struct EncoderSummary {
    std::string name;
    bool opened = false;
    std::string reason; ///< the library's words where it did not open
};

struct EngineInfo {
    std::string version, torch, cuda, nccl;
    HardwareSnapshot hardware;
    std::vector<EncoderSummary> encoders;
    std::string sample_model;
};

/// One job on two meshes.
struct ParityReport {
    std::string mesh, against;
    double latents_rel_l2 = 0; ///< largest over the steps; of a rounded dtype: from one rank in float32
    double latents_bound = 0;  ///< 0: bit-equal
    double frames_max_abs = 0; ///< of values in 0 ... 1
    double frames_bound = 0;
    bool latents_equal = false; ///< to the bit
    bool within = false;
};

/// Measured values by name; seconds end in _s, ratios have no unit.
struct BenchCase {
    std::string name;
    std::vector<std::pair<std::string, double>> values;
    std::string limit; ///< what keeps it from the ceiling
};
struct BenchReport {
    std::vector<BenchCase> cases;
};

/// Whether somebody looks at the load of devices, ranks and machine.
enum class LoadWatch { None, Visible };
/// Whether pending jobs may start. A job that runs is never held.
enum class QueueGate {
    Open,
    UntilFailure, ///< a job that fails makes it Held, before the next one can start
    Held,
};

/// What becomes of a file name that is taken: refused, or stem_2, stem_3 ...
enum class TakenName { Refuse, Count };

/// Frames to a file, outside of any job.
struct ExportRequest {
    std::vector<Frame> frames; ///< at least one, all of one size and format
    FrameRate fps;
    /// Complete. Its output says where and how; "png" with a single frame is one picture, with more a folder
    /// of them. All else is what the file carries, if embed_settings.
    JobRequest settings;
    TakenName taken_name = TakenName::Refuse;
};

/// Shared with an export while it runs: one side counts, the other may cut it short.
struct ExportControl {
    std::atomic<std::int64_t> written{0}; ///< frames that the encoder has taken
    std::atomic<bool> cancel{false};      ///< nothing stays behind; the export ends with Canceled
};

struct ExportReport {
    std::string output;
    std::string encoder;
    std::uint64_t bytes = 0;
    std::int64_t frames = 0;
    std::vector<std::string> notices; ///< one sentence each
};

/// A finished file in memory.
struct MediaClip {
    std::vector<Frame> frames; ///< Rgb8
    FrameRate fps;             ///< of a folder of pictures: of the job in them, else 16
    std::string job_json;      ///< "": none inside
    int reduction = 1;         ///< sides are divided by it, so that all frames fit into memory
    std::int64_t width = 0, height = 0;
};

class Engine {
public:
    /// As shut_down(), and waits for it: at most a few seconds.
    virtual ~Engine() = default;

    /// Checks the request without reading weights, resolves seed and defaults, queues the job.
    virtual Result<JobId> submit(const JobRequest& request, const RunOptions& options) = 0;
    /// Ends a job within max(0.5 s, one block); pending ones at once. Unknown ids are ignored.
    virtual void cancel(JobId job) = 0;
    /// Stops before the next step until resume(); latents are kept.
    virtual void pause(JobId job) = 0;
    virtual void resume(JobId job) = 0;
    /// Ends sampling at the last complete step and decodes what is there.
    virtual void stop_and_decode(JobId job) = 0;
    /// Gives a pending job its place among the pending ones: 0 is next, beyond the end is last.
    virtual void move(JobId job, int place) = 0;
    virtual void set_queue_gate(QueueGate gate) = 0;
    virtual QueueGate queue_gate() const = 0;
    /// Lets go of all that is kept of a job that has ended: its previews, its request. Others are left alone.
    virtual void forget(JobId job) = 0;
    /// Cancels every job and query, those to come included, and returns at once.
    virtual void shut_down() = 0;
    /// The job as it runs: defaults, seed and mesh in place. Empty prompt and id 0 rules: UnknownField for
    /// unknown ids.
    virtual Result<JobRequest> resolved(JobId job) const = 0;
    /// The plan that a job runs on, from its start on.
    virtual Result<Plan> plan_of(JobId job) const = 0;

    /// Called from engine threads when there is something to drain; only wakes.
    virtual void set_wakeup(std::function<void()> wakeup) = 0;
    /// Hands over what has come since, for at most the budget; true: more is waiting.
    virtual bool drain(EventSink& sink, std::chrono::milliseconds budget) = 0;
    /// Load samples come four times a second while a job runs, once a second while somebody looks, else
    /// never. None until it is called.
    virtual void watch_load(LoadWatch watch) = 0;
    /// The clip after a step, or the nearest kept one before it; none: step -1.
    virtual PreviewClip preview(JobId job, int step) const = 0;

    /// Legal meshes with their cost, refused ones with the reason. Pure.
    virtual Result<PlanSet> plan(const JobRequest& request, const HardwareSnapshot& hardware) const = 0;
    virtual HardwareSnapshot hardware() const = 0; ///< first call tests the GPUs: seconds; never the GUI thread
    /// The same of a published model that need not be on this machine: "wan2.1-t2v-14b", "flux.1-dev" ...
    /// Unknown names: BadField with the known ones.
    virtual Result<PlanSet> plan_preset(const std::string& family, const JobRequest& request,
                                        const HardwareSnapshot& hardware) const = 0;
    /// A common machine by its name: "8xh100-nvlink", "2xcpu" ... Unknown names: BadField with the known
    /// ones.
    virtual Result<HardwareSnapshot> hardware_preset(const std::string& name) const = 0;
    /// The rules of a model folder ("": the sample model); reads configs only.
    virtual Result<FamilyRules> rules(const std::string& model) const = 0;

    virtual std::future<Result<InspectReport>> inspect(std::string path, JobRequest request,
                                                       InspectDetail detail) = 0;
    virtual std::future<Result<TokenizedPrompt>> tokenize(std::string model, std::string prompt) = 0;
    virtual std::future<EngineInfo> info() = 0;
    /// Runs the job on both meshes, through the queue, and compares; nothing is written. against: a mesh, or
    /// "cpu": one rank on the CPU, whatever the job's devices.
    virtual std::future<Result<ParityReport>> parity(JobRequest request, RunOptions options, std::string mesh,
                                                     std::string against) = 0;
    /// what: "mesh". Takes minutes; the queue should be empty.
    virtual std::future<Result<BenchReport>> bench(std::string what) = 0;
    /// Beside whatever job runs. An output folder gets a name from date, seed and prompt. control may be
    /// null.
    virtual std::future<Result<ExportReport>> export_media(ExportRequest request,
                                                           std::shared_ptr<ExportControl> control) = 0;
    /// A movie, a picture, or a folder of pictures as export_media and jobs write them.
    virtual std::future<Result<MediaClip>> load_media(std::string path) = 0;
};

inline constexpr int kEngineAbi = 5;
inline constexpr const char* kEngineFactoryName = "reelmesh_create_engine";

struct EngineOptions {
    std::string resources;               ///< folder with sample-model/; "": found relative to the program
    std::string log_file;                ///< holds every line, bounded by two files of 8 MiB; "": none
    LogLevel log_level = LogLevel::Info; ///< lines below it are not made
};

} // namespace reelmesh

extern "C" {
/// nullptr if abi is not the engine's.
using reelmesh_create_engine_fn = reelmesh::Engine* (*)(int abi, const reelmesh::EngineOptions* options);
__attribute__((visibility("default"))) reelmesh::Engine*
reelmesh_create_engine(int abi, const reelmesh::EngineOptions* options);
}
