// An engine without a model: plays a script of stages, steps, previews, frames and errors on its own
// thread. The same request gives the same events and pixels; only times differ. For tests of the
// window, as an object or, through fake_engine_library.cpp, as a library in the real one's place.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/engine.h"

namespace reelmesh {

struct MeshLimits;
struct MeshShape;

/// Two cores, 8 GiB of which 3 are free, no GPU.
HardwareSnapshot fake_machine();

struct FakeScript {
    int ranks = 2;
    std::chrono::milliseconds step_time{0};
    std::chrono::milliseconds stage_time{0}; ///< of load, text, decode chunk, write
    int frames_per_chunk = 4;
    Error refusal; ///< a code other than None: submit refuses with it
    Error failure; ///< a code other than None: the job fails with it
    int fail_at_step = 0;
    bool write_file = false;       ///< an MP4 by the ffmpeg program, into the request's output folder
    std::vector<LogLine> log;      ///< told when a job starts, with its id
    std::vector<LoadSample> loads; ///< told in turn, one a period, while somebody looks
    std::chrono::milliseconds load_period{250};
    std::chrono::milliseconds query_time{0}; ///< of a plan and of a tokenizer's answer
    HardwareSnapshot machine = fake_machine();
    Error export_failure; ///< a code other than None: every export ends with it
    std::vector<EncoderSummary> encoders = {{"libx264", true, ""}};
};

/// The one model and the one machine that it has a preset of.
inline constexpr const char* kFakePreset = "fake-model";
inline constexpr const char* kFakeMachine = "2xfake";

/// Rules of a published model where the folder's name is one's ("wan2.2-t2v-a14b"), else of a small model; a
/// folder that begins with "missing" is none. Plans: the legal meshes of that model on as many ranks as the
/// machine has cores, a token costing 64 KiB. Tokens are words and an end token.
class FakeEngine : public Engine {
public:
    explicit FakeEngine(FakeScript script = {});
    ~FakeEngine() override;

    Result<JobId> submit(const JobRequest& request, const RunOptions& options) override;
    void cancel(JobId job) override;
    void pause(JobId job) override;
    void resume(JobId job) override;
    void stop_and_decode(JobId job) override;
    void move(JobId job, int place) override;
    void set_queue_gate(QueueGate gate) override;
    QueueGate queue_gate() const override;
    void forget(JobId job) override;
    void shut_down() override;
    Result<JobRequest> resolved(JobId job) const override;
    Result<Plan> plan_of(JobId job) const override;
    void set_wakeup(std::function<void()> wakeup) override;
    bool drain(EventSink& sink, std::chrono::milliseconds budget) override;
    void watch_load(LoadWatch watch) override;
    PreviewClip preview(JobId job, int step) const override;
    Result<PlanSet> plan(const JobRequest& request, const HardwareSnapshot& hardware) const override;
    HardwareSnapshot hardware() const override;
    Result<PlanSet> plan_preset(const std::string& family, const JobRequest& request,
                                const HardwareSnapshot& hardware) const override;
    Result<HardwareSnapshot> hardware_preset(const std::string& name) const override;
    Result<FamilyRules> rules(const std::string& model) const override;
    std::future<Result<InspectReport>> inspect(std::string path, JobRequest request,
                                               InspectDetail detail) override;
    std::future<Result<TokenizedPrompt>> tokenize(std::string model, std::string prompt) override;
    std::future<EngineInfo> info() override;
    std::future<Result<ParityReport>> parity(JobRequest request, RunOptions options, std::string mesh,
                                             std::string against) override;
    std::future<Result<BenchReport>> bench(std::string what) override;
    /// A file of the right name and size in words; the time of a step for each frame.
    std::future<Result<ExportReport>> export_media(ExportRequest request,
                                                   std::shared_ptr<ExportControl> control) override;
    /// The frames of the job that wrote the file.
    std::future<Result<MediaClip>> load_media(std::string path) override;

    /// Pending jobs in the order in which they will run.
    std::vector<JobId> pending() const;
    /// Jobs of which something is kept.
    std::size_t kept() const;

private:
    using Deliver = std::function<void(EventSink&)>;
    struct Job {
        JobId id = 0;
        JobRequest request;
        bool canceled = false;
        bool paused = false;
        bool decode_now = false;
        bool started = false;
        bool ended = false;
        int steps_done = 0;
    };
    ExportReport write_export(const ExportRequest& request, ExportControl& control);

    Plan plan_of(const JobRequest& request, const MeshLimits& limits, const MeshShape& shape,
                 const HardwareSnapshot& hardware) const;
    void run();
    void sample_load();
    void play(Job& job);
    void play_steps(Job& job);
    /// Before a step: waits while paused; false: decode what is there.
    bool may_step(Job& job);
    std::string write_file(const Job& job, const std::vector<Frame>& frames);
    /// Throws Canceled when the time was cut short by cancel or destruction.
    void wait(const Job& job, std::chrono::milliseconds time);
    void end(Job& job, JobState state, Stage stage, const Error& error, const std::string& output);
    void post(Deliver deliver);
    void post_state(const Job& job, JobState state, Stage stage, const Error& error,
                    const std::string& output);

    const FakeScript script_;
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> wakeup_;
    std::deque<Deliver> events_;
    std::map<JobId, Job> jobs_;
    std::deque<JobId> waiting_;
    std::map<std::pair<JobId, int>, PreviewClip> previews_;
    std::map<std::string, JobRequest> files_; ///< what wrote them
    QueueGate gate_ = QueueGate::Open;
    JobId last_id_ = 0;
    bool ending_ = false;
    LoadWatch watch_ = LoadWatch::None;
    std::thread thread_, load_thread_;
};

} // namespace reelmesh
