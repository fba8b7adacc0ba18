// The engine behind the border: a queue, one control thread that runs its jobs in order, and the
// queries that need no job.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

#include "engine/engine.h"
#include "jobs/event_hub.h"
#include "mesh/mesh_runner.h"
#include "pipeline/generate.h"

namespace reelmesh {

struct QueuedJob;

class EngineImpl final : public Engine {
public:
    explicit EngineImpl(const EngineOptions& options);
    ~EngineImpl() override; ///< cancels what runs and waits for it

    Result<JobId> submit(const JobRequest& request, const RunOptions& options) override;
    void cancel(JobId job) override;
    void pause(JobId job) override;
    void resume(JobId job) override;
    void stop_and_decode(JobId job) override;
    Result<JobRequest> resolved(JobId job) const override;
    void set_wakeup(std::function<void()> wakeup) override;
    bool drain(EventSink& sink, std::chrono::milliseconds budget) override;
    PreviewClip preview(JobId job, int step) const override;
    Result<PlanSet> plan(const JobRequest& request, const HardwareSnapshot& hardware) const override;
    HardwareSnapshot hardware() const override;
    Result<FamilyRules> rules(const std::string& model) const override;
    std::future<Result<InspectReport>> inspect(std::string path, JobRequest request,
                                               InspectDetail detail) override;
    std::future<Result<TokenizedPrompt>> tokenize(std::string model, std::string prompt) override;
    std::future<EngineInfo> info() override;

private:
    std::string model_folder(const std::string& asked) const;
    std::shared_ptr<QueuedJob> find(JobId job) const; ///< null: unknown
    void control_loop();
    void run(QueuedJob& job);
    MeshRunner& mesh_for(const MeshShape& shape, int threads);
    void change(JobId job, const std::function<void(QueuedJob&)>& edit);

    const std::string sample_model_;
    EventHub hub_;

    // Guards the queue, the flags of jobs and active_. State changes are posted under it, so that they are
    // told in the order in which they happened.
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::map<JobId, std::shared_ptr<QueuedJob>> jobs_;
    std::deque<std::shared_ptr<QueuedJob>> queue_;
    QueuedJob* active_ = nullptr; ///< runs now; its mesh is mesh_
    JobId last_id_ = 0;
    bool ending_ = false;

    std::unique_ptr<MeshRunner>
        mesh_;            ///< control thread; the gate by others under mutex_ while active_ is set
    ModelCache models_;   ///< control thread
    std::thread control_; ///< last: starts when all above is there
};

} // namespace reelmesh
