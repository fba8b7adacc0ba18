// The engine behind the border: a queue, one control thread that runs its jobs in order, and the
// queries that need no job. A mesh with a data axis runs so many of its jobs side by side, each on a replica.
#pragma once

#include <condition_variable>
#include <deque>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/log.h"
#include "device/load_sampler.h"
#include "engine/engine.h"
#include "jobs/event_hub.h"
#include "jobs/measured_speed.h"
#include "jobs/proven_gpus.h"
#include "mesh/mesh_runner.h"
#include "pipeline/generate.h"

namespace reelmesh {

struct QueuedJob;

/// Who waits for a job: the user, who may hold and order it, or a query.
enum class JobOwner { User, Query };

/// How meshes are made: tests put faults into them.
struct EngineTuning {
    MeshHooks hooks;
    std::optional<std::chrono::milliseconds> deadline;
    CheckCalls check = CheckCalls::FirstStep;
};

class EngineImpl final : public Engine {
public:
    explicit EngineImpl(const EngineOptions& options, EngineTuning tuning = {});
    ~EngineImpl() override; ///< cancels what runs, jobs and queries, and waits for it

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
    std::future<Result<ExportReport>> export_media(ExportRequest request,
                                                   std::shared_ptr<ExportControl> control) override;
    std::future<Result<MediaClip>> load_media(std::string path) override;

private:
    using Queue = std::deque<std::shared_ptr<QueuedJob>>;

    /// Runs on a thread of its own, counted, so that the destructor can wait for it.
    template <class F>
    auto query(F function) {
        query_begins();
        return std::async(std::launch::async, [this, function = std::move(function)]() mutable {
            const struct Scope {
                EngineImpl& engine;
                ~Scope() { engine.query_ends(); }
            } scope{*this};
            return function();
        });
    }
    void query_begins();
    void query_ends();
    bool ending() const;
    /// In the range that fits every tool's seed field.
    static std::uint64_t drawn_seed();
    Result<JobId> enqueue(const JobRequest& request, const RunOptions& options, JobOwner owner);
    std::string model_folder(const std::string& asked) const;
    std::shared_ptr<QueuedJob> find(JobId job) const; ///< null: unknown
    void control_loop();
    /// A mesh of its own for each job that runs beside others, and the job that is on it now.
    struct Replica {
        int number = 0;
        std::unique_ptr<MeshRunner> mesh; ///< its thread; the gate by others under mutex_ while active is set
        QueuedJob* active = nullptr;
    };
    /// The next job for a replica of that mesh, once there is one at the head of the queue; null: another
    /// mesh is asked for, or no replica works any more.
    std::shared_ptr<QueuedJob> next_for(const QueuedJob& like);
    /// The first that the gate lets through. Under mutex_.
    Queue::iterator next_startable();
    std::shared_ptr<QueuedJob> start(Queue::iterator place);
    void run_replicas(std::shared_ptr<QueuedJob> first, int count);
    void run(QueuedJob& job, Replica& replica);
    MeshRunner& mesh_for(Replica& replica, MeshOptions options);
    /// Submits and waits for the end; throws the job's error.
    JobReport run_to_end(const JobRequest& request, const RunOptions& options);
    void change(JobId job, const std::function<void(QueuedJob&)>& edit);

    const std::string sample_model_;
    EventHub hub_;
    Log log_;
    LoadSampler load_;

    // Guards the queue, the flags of jobs and which of them are active. State changes are posted under it, so
    // that they are told in the order in which they happened.
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<JobId, std::shared_ptr<QueuedJob>> jobs_;
    Queue queue_;
    QueueGate gate_ = QueueGate::Open;
    int queries_ = 0;                 ///< that have not answered
    std::deque<Replica> replicas_{1}; ///< grows only
    int busy_replicas_ = 0;
    JobId last_id_ = 0;
    bool ending_ = false;

    EngineTuning tuning_;
    std::shared_ptr<StreamPool> streams_ = std::make_shared<StreamPool>(); ///< any thread
    ModelCache models_;                                                    ///< any thread
    MeasuredSpeed speed_;                                                  ///< any thread
    mutable ProvenGpus gpus_;                                              ///< any thread
    std::thread control_; ///< last: starts when all above is there
};

} // namespace reelmesh
