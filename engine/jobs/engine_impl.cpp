#include "jobs/engine_impl.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <utility>

#include "base/check.h"
#include "device/hardware.h"
#include "device/hardware_presets.h"
#include "jobs/job_log.h"
#include "jobs/output_target.h"
#include "jobs/preview_store.h"
#include "jobs/resources.h"
#include "pipeline/planner.h"
#include "pipeline/prompt_stage.h"

namespace reelmesh {

struct JobEnd {
    Error error;
    JobReport report;
};

struct QueuedJob {
    GenerateTask task;
    PreviewStore previews;
    // Guarded by the engine's mutex.
    JobState state = JobState::Pending;
    Stage stage = Stage::None;
    bool stop = false;
    bool decode_now = false;
    bool paused = false;
    std::optional<Plan> plan; ///< once it has started
    JobOwner owner = JobOwner::User;
    JobEnd end;                   ///< once the state is a final one
    bool was_interrupted = false; ///< by a pause or an early end: its time says nothing
};

namespace {

constexpr std::int64_t kProgressPeriodNs = 100'000'000;

/// Jobs that run side by side.
int data_degree(const JobRequest& request) {
    return request.mesh == "auto" ? 1 : parse_mesh(request.mesh).degree(Axis::Data);
}

bool has_ended(JobState state) {
    return state == JobState::Done || state == JobState::Failed || state == JobState::Canceled;
}

/// Of all steps and branches of a job.
double denoise_flop(const GenerateTask& task) {
    const FamilyDescription description = find_family(task.rules.family).describe(task.card, task.request);
    return 2 * description.cost.multiply_adds * guidance_branches(task.request, description) *
           static_cast<double>(*task.request.steps);
}

/// Of the ranks of one replica; empty: all on the CPU.
std::vector<c10::Device> rank_devices(const Plan& plan, int ranks, int replica) {
    std::vector<c10::Device> devices;
    for (int rank = replica * ranks; rank < (replica + 1) * ranks; ++rank) {
        const std::string& name = plan.devices[static_cast<std::size_t>(rank)];
        if (name == "cpu") return {};
        devices.emplace_back(name);
    }
    return devices;
}

/// What the plan had thought of, and what could be had now: others may have taken it meanwhile. rank: of all
/// replicas; -1: the process.
void add_memory_figures(Error& error, const Plan& plan, int rank, const HardwareSnapshot& now) {
    std::uint64_t needed = plan.memory.peak(), free = now.available_bytes;
    const bool known = rank >= 0 && static_cast<std::size_t>(rank) < plan.devices.size();
    for (const DeviceSummary& device : now.devices) {
        if (!known || is_cpu(device) || device.id != plan.devices[static_cast<std::size_t>(rank)]) continue;
        // Ranks that share a card share its weights and the libraries.
        const std::uint64_t shared = plan.memory.base + plan.memory.weights;
        needed = shared;
        for (std::size_t other = 0; other < plan.devices.size(); ++other)
            if (plan.devices[other] == device.id) needed += plan.shares[other].peak_bytes - shared;
        free = device.free_bytes;
    }
    error.arguments = {{"needed_bytes", needed}, {"free_bytes", free}};
}

class JobRelay final : public JobHooks {
public:
    JobRelay(QueuedJob& job, EventHub& hub, JobLog& log, std::mutex& mutex, std::condition_variable& changed)
        : job_(job), hub_(hub), log_(log), mutex_(mutex), changed_(changed) {}

    void stage(Stage stage) override {
        log_.stage_begins(stage);
        const std::lock_guard lock(mutex_);
        job_.stage = stage;
        hub_.post(JobStateChanged{job_.task.job, JobState::Running, stage, job_.stop, {}, {}});
    }
    void progress(Stage stage, double done, double total, double remaining_seconds) override {
        // Readers report every piece; ten figures a second are enough to look at.
        const std::int64_t now_ns = steady_now_ns();
        std::int64_t next_ns = next_progress_ns_.load(std::memory_order_relaxed);
        if (done < total && (now_ns < next_ns ||
                             !next_progress_ns_.compare_exchange_strong(next_ns, now_ns + kProgressPeriodNs)))
            return;
        hub_.post(StageProgress{job_.task.job, stage, done, total, remaining_seconds});
    }
    void step(const StepDone& done) override {
        log_.step(done);
        hub_.post(done);
    }
    void preview(PreviewClip clip) override {
        const int step = clip.step;
        job_.previews.put(std::move(clip));
        hub_.post(PreviewReady{job_.task.job, step});
    }
    void frames(FramesDecoded decoded) override { hub_.post(std::move(decoded)); }
    void telemetry(const std::vector<TelemetryEvent>& events, std::uint64_t dropped) override {
        log_.telemetry(events);
        hub_.post(job_.task.job, events, dropped);
    }
    void log(LogLevel level, const std::string& text) override { log_.write(level, text); }
    bool should_stop() const override {
        const std::lock_guard lock(mutex_);
        return job_.stop;
    }
    NextStep before_step() override {
        std::unique_lock lock(mutex_);
        if (job_.paused && !job_.stop) {
            hub_.post(JobStateChanged{job_.task.job, JobState::Paused, job_.stage, false, {}, {}});
            changed_.wait(lock, [this] { return !job_.paused || job_.stop || job_.decode_now; });
            hub_.post(JobStateChanged{job_.task.job, JobState::Running, job_.stage, job_.stop, {}, {}});
        }
        if (job_.stop) fail(ErrorCode::Canceled);
        return job_.decode_now ? NextStep::DecodeNow : NextStep::Continue;
    }

private:
    QueuedJob& job_;
    EventHub& hub_;
    JobLog& log_;
    std::mutex& mutex_;
    std::condition_variable& changed_;
    std::atomic<std::int64_t> next_progress_ns_{0};
};

} // namespace

EngineImpl::EngineImpl(const EngineOptions& options, EngineTuning tuning)
    : sample_model_(find_sample_model(options.resources)),
      log_(options.log_level, options.log_file, [this](const LogLine& line) { hub_.post(line); }),
      load_([this](LoadSample sample) { hub_.post(std::move(sample)); }), tuning_(std::move(tuning)),
      gpus_(log_, [this] { return ending(); }), control_([this] { control_loop(); }) {}

std::uint64_t EngineImpl::drawn_seed() {
    std::random_device device;
    return std::uniform_int_distribution<std::uint64_t>(0, (std::uint64_t{1} << 31) - 1)(device);
}

EngineImpl::~EngineImpl() {
    shut_down();
    {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return queries_ == 0; });
    }
    control_.join();
}

bool EngineImpl::ending() const {
    const std::lock_guard lock(mutex_);
    return ending_;
}

void EngineImpl::query_begins() {
    const std::lock_guard lock(mutex_);
    ++queries_;
}

void EngineImpl::query_ends() {
    // Told under the lock: behind it the engine may be gone.
    const std::lock_guard lock(mutex_);
    --queries_;
    changed_.notify_all();
}

void EngineImpl::shut_down() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        for (const auto& job : queue_) {
            job->state = JobState::Canceled;
            hub_.post(JobStateChanged{job->task.job, JobState::Canceled, Stage::None, false, {}, {}});
        }
        queue_.clear();
        for (Replica& replica : replicas_) {
            if (!replica.active) continue;
            replica.active->stop = true;
            replica.mesh->gate().cancel();
        }
    }
    changed_.notify_all();
}

std::string EngineImpl::model_folder(const std::string& asked) const {
    if (!asked.empty()) return asked;
    if (sample_model_.empty()) fail(ErrorCode::FileMissing, {{"file", std::string("the sample model")}});
    return sample_model_;
}

Result<JobId> EngineImpl::submit(const JobRequest& request, const RunOptions& options) {
    return enqueue(request, options, JobOwner::User);
}

Result<JobId> EngineImpl::enqueue(const JobRequest& request, const RunOptions& options, JobOwner owner) {
    return catch_errors([&]() -> JobId {
        const HardwareSnapshot hardware = this->hardware();
        // More ranks than the machine has are told as such, whatever mesh they would make.
        if (const auto fault = ranks_fault(request, hardware)) throw EngineException(*fault);
        const std::vector<Error> faults = validate_without_model(request);
        if (!faults.empty()) throw EngineException(faults.front());
        auto job = std::make_shared<QueuedJob>();
        job->owner = owner;
        GenerateTask& task = job->task;
        task.card = read_model_card(model_folder(request.model));
        task.rules = family_rules(task.card);
        task.request = complete_request(request, task.rules);
        task.options = options;
        task.dtype = resolve_dtype(task.request, task.card, hardware);
        chosen_plan(make_plans({task.card, task.rules, task.request, hardware, options.threads}));
        if (!task.request.seed) task.request.seed = drawn_seed();
        if (options.write_output) {
            const OutputTarget target = resolve_output(task.request);
            task.output_format = target.format;
            task.output_target = target.path;
            task.exact_name = target.exact_name;
        }
        {
            const std::lock_guard lock(mutex_);
            if (ending_) fail(ErrorCode::Canceled);
            task.job = ++last_id_;
            jobs_[task.job] = job;
            queue_.push_back(job);
            hub_.post(JobStateChanged{task.job, JobState::Pending, Stage::None, false, {}, {}});
        }
        JobLog(log_, task.job).queued(task.request);
        changed_.notify_all();
        return task.job;
    });
}

std::shared_ptr<QueuedJob> EngineImpl::find(JobId job) const {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(job);
    return found == jobs_.end() ? nullptr : found->second;
}

void EngineImpl::change(JobId job, const std::function<void(QueuedJob&)>& edit) {
    {
        const std::lock_guard lock(mutex_);
        const auto found = jobs_.find(job);
        if (found == jobs_.end()) return;
        edit(*found->second);
    }
    changed_.notify_all();
}

void EngineImpl::cancel(JobId id) {
    change(id, [&](QueuedJob& job) {
        if (job.state == JobState::Pending) {
            std::erase_if(queue_, [&](const auto& queued) { return queued.get() == &job; });
            job.state = JobState::Canceled;
            hub_.post(JobStateChanged{id, JobState::Canceled, Stage::None, false, {}, {}});
        } else if (job.state == JobState::Running) {
            job.stop = true;
            // Before it is active a job looks at the flag itself.
            for (Replica& replica : replicas_)
                if (replica.active == &job) replica.mesh->gate().cancel();
            hub_.post(JobStateChanged{id, JobState::Running, job.stage, true, {}, {}});
        }
    });
}

void EngineImpl::pause(JobId id) {
    change(id, [](QueuedJob& job) { job.paused = job.was_interrupted = true; });
}

void EngineImpl::resume(JobId id) {
    change(id, [](QueuedJob& job) { job.paused = false; });
}

void EngineImpl::stop_and_decode(JobId id) {
    change(id, [](QueuedJob& job) { job.decode_now = job.was_interrupted = true; });
}

void EngineImpl::move(JobId id, int place) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(queue_.begin(), queue_.end(),
                                    [&](const auto& queued) { return queued->task.job == id; });
    if (found == queue_.end()) return;
    const std::shared_ptr<QueuedJob> job = *found;
    queue_.erase(found);
    // Counted over the jobs that somebody sees.
    auto before = queue_.begin();
    for (; before != queue_.end(); ++before)
        if ((*before)->owner == JobOwner::User && place-- <= 0) break;
    queue_.insert(before, job);
}

void EngineImpl::set_queue_gate(QueueGate gate) {
    {
        const std::lock_guard lock(mutex_);
        gate_ = gate;
    }
    changed_.notify_all();
}

QueueGate EngineImpl::queue_gate() const {
    const std::lock_guard lock(mutex_);
    return gate_;
}

void EngineImpl::forget(JobId id) {
    std::shared_ptr<QueuedJob> job; // let go of outside the lock
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || !has_ended(found->second->state)) return;
    job = std::move(found->second);
    jobs_.erase(found);
}

Result<JobRequest> EngineImpl::resolved(JobId id) const {
    const std::shared_ptr<QueuedJob> job = find(id);
    if (!job) return make_error(ErrorCode::UnknownField, {{"field", "job " + std::to_string(id)}});
    return job->task.request;
}

Result<Plan> EngineImpl::plan_of(JobId id) const {
    const std::lock_guard lock(mutex_);
    const auto found = jobs_.find(id);
    if (found == jobs_.end() || !found->second->plan)
        return make_error(ErrorCode::UnknownField, {{"field", "the plan of job " + std::to_string(id)}});
    return *found->second->plan;
}

void EngineImpl::set_wakeup(std::function<void()> wakeup) {
    hub_.set_wakeup(std::move(wakeup));
}

bool EngineImpl::drain(EventSink& sink, std::chrono::milliseconds budget) {
    return hub_.drain(sink, budget);
}

void EngineImpl::watch_load(LoadWatch watch) {
    load_.watch(watch);
}

PreviewClip EngineImpl::preview(JobId id, int step) const {
    const std::shared_ptr<QueuedJob> job = find(id);
    return job ? job->previews.get(step) : PreviewClip{};
}

void EngineImpl::control_loop() {
    pthread_setname_np(pthread_self(), "control");
    while (true) {
        std::shared_ptr<QueuedJob> job;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return ending_ || next_startable() != queue_.end(); });
            if (ending_) return;
            job = start(next_startable());
        }
        run_replicas(job, data_degree(job->task.request));
    }
}

void EngineImpl::run_replicas(std::shared_ptr<QueuedJob> first, int count) {
    const std::shared_ptr<QueuedJob> like = first;
    {
        const std::lock_guard lock(mutex_);
        while (static_cast<int>(replicas_.size()) < count)
            replicas_.push_back({.number = static_cast<int>(replicas_.size())});
        busy_replicas_ = 1;
    }
    std::vector<std::thread> others;
    for (int i = 1; i < count; ++i)
        others.emplace_back([this, &like, i] {
            pthread_setname_np(pthread_self(), "replica");
            while (const auto job = next_for(*like))
                run(*job, replicas_[static_cast<std::size_t>(i)]);
        });
    run(*first, replicas_.front());
    while (count > 1) {
        first = next_for(*like);
        if (!first) break;
        run(*first, replicas_.front());
    }
    for (std::thread& other : others)
        other.join();
}

std::shared_ptr<QueuedJob> EngineImpl::next_for(const QueuedJob& like) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ending_ || busy_replicas_ == 0 || next_startable() != queue_.end(); });
    const auto next = next_startable();
    if (ending_ || next == queue_.end() || (*next)->task.request.mesh != like.task.request.mesh ||
        (*next)->task.request.devices != like.task.request.devices ||
        (*next)->task.options.threads != like.task.options.threads)
        return nullptr;
    ++busy_replicas_;
    return start(next);
}

EngineImpl::Queue::iterator EngineImpl::next_startable() {
    if (gate_ != QueueGate::Held) return queue_.begin();
    // What a query waits for is not the user's to hold.
    return std::find_if(queue_.begin(), queue_.end(),
                        [](const auto& queued) { return queued->owner == JobOwner::Query; });
}

std::shared_ptr<QueuedJob> EngineImpl::start(Queue::iterator place) {
    const std::shared_ptr<QueuedJob> job = *place;
    queue_.erase(place);
    job->state = JobState::Running;
    return job;
}

MeshRunner& EngineImpl::mesh_for(Replica& replica, MeshOptions options) {
    std::unique_ptr<MeshRunner>& mesh = replica.mesh;
    const bool fits = mesh && mesh->usable() && mesh->shape() == options.shape &&
                      mesh->threads() == options.threads && mesh->slot_weights() == options.slot_weights &&
                      mesh->devices() == options.devices;
    if (!fits) {
        mesh.reset();
        options.hooks = tuning_.hooks;
        options.deadline = tuning_.deadline;
        options.check = tuning_.check;
        options.streams = streams_;
        if (!options.devices.empty()) {
            options.staged = gpus_.staged();
            options.indirect = gpus_.indirect();
        }
        mesh = std::make_unique<MeshRunner>(options);
    }
    return *mesh;
}

void EngineImpl::run(QueuedJob& job, Replica& replica) {
    JobStateChanged end{job.task.job, JobState::Done, Stage::None, false, {}, {}};
    JobLog log(log_, job.task.job);
    load_.job_began();
    try {
        const HardwareSnapshot hardware = this->hardware();
        const PlanSet plans =
            make_plans({job.task.card, job.task.rules, job.task.request, hardware, job.task.options.threads});
        const Plan& plan = chosen_plan(plans);
        const int threads = job.task.options.threads > 0 ? job.task.options.threads : hardware.cores;
        MeshOptions options;
        options.shape = parse_mesh(plan.mesh);
        int& data = options.shape.degrees[static_cast<std::size_t>(Axis::Data)];
        options.threads = std::max(1, threads / std::exchange(data, 1));
        options.slot_weights = plan.weights;
        options.devices = rank_devices(plan, options.shape.ranks(), replica.number);
        job.task.devices = rank_devices(plan, plan.ranks, 0);
        const std::int64_t start_ns = steady_now_ns();
        MeshRunner& mesh = mesh_for(replica, options);
        log.mesh_ready(plan.mesh, mesh.ranks(), static_cast<double>(steady_now_ns() - start_ns) * 1e-9);
        end.report.mesh = plan.mesh;
        end.report.devices = plan.devices;
        {
            const std::lock_guard lock(mutex_);
            mesh.gate().reset();
            replica.active = &job;
            job.plan = plan;
            if (job.stop || ending_) mesh.gate().cancel();
            job.stop = job.stop || ending_;
        }
        JobRelay relay(job, hub_, log, mutex_, changed_);
        generate(job.task, mesh, models_, relay, end.report);
        const std::lock_guard lock(mutex_);
        const auto first = plan.devices.begin() + replica.number * mesh.ranks();
        const std::vector<std::string> replica_devices(first, first + mesh.ranks());
        const bool whole = !job.was_interrupted && job.task.options.from_latents.empty();
        if (whole && (!mesh.devices().empty() || threads == hardware.cores))
            speed_.remember(replica_devices, hardware, job.task.dtype, denoise_flop(job.task),
                            end.report.timings.denoise);
    } catch (...) {
        end.error = current_error();
        if (end.error.code == ErrorCode::OutOfMemory && job.plan) {
            const int ranks = job.plan->ranks / parse_mesh(job.plan->mesh).degree(Axis::Data);
            const int rank = end.error.rank < 0 ? -1 : replica.number * ranks + end.error.rank;
            // Told without figures where there is no memory for asking.
            (void)catch_errors([&] {
                add_memory_figures(end.error, *job.plan, rank, hardware());
                return true;
            });
        }
        end.state = end.error.code == ErrorCode::Canceled ? JobState::Canceled : JobState::Failed;
    }
    end.report.seed = *job.task.request.seed;
    end.report.dtype = dtype_name(job.task.dtype);
    end.report.sampler = *job.task.request.sampler;
    load_.job_ended();
    log.ended(end);
    {
        const std::lock_guard lock(mutex_);
        replica.active = nullptr;
        --busy_replicas_;
        job.state = end.state;
        job.end = {end.error, end.report};
        if (job.state == JobState::Failed && job.owner == JobOwner::User && gate_ == QueueGate::UntilFailure)
            gate_ = QueueGate::Held;
        end.stage = job.stage;
        hub_.post(std::move(end));
    }
    changed_.notify_all();
}

Result<PlanSet> EngineImpl::plan(const JobRequest& request, const HardwareSnapshot& hardware) const {
    return catch_errors([&] {
        const ModelCard card = read_model_card(model_folder(request.model));
        const FamilyRules rules = family_rules(card);
        return make_plans({card, rules, complete_request(request, rules), hardware});
    });
}

HardwareSnapshot EngineImpl::hardware() const {
    HardwareSnapshot snapshot = hardware_snapshot();
    gpus_.add_to(snapshot);
    speed_.correct(snapshot);
    return snapshot;
}

Result<PlanSet> EngineImpl::plan_preset(const std::string& family, const JobRequest& request,
                                        const HardwareSnapshot& hardware) const {
    return catch_errors([&] {
        const ModelPreset preset = model_preset(family);
        return make_plans(preset, complete_request(request, preset.rules), hardware);
    });
}

Result<HardwareSnapshot> EngineImpl::hardware_preset(const std::string& name) const {
    return catch_errors([&] { return reelmesh::hardware_preset(name); });
}

Result<FamilyRules> EngineImpl::rules(const std::string& model) const {
    return catch_errors([&] { return family_rules(read_model_card(model_folder(model))); });
}

JobReport EngineImpl::run_to_end(const JobRequest& request, const RunOptions& options) {
    const Result<JobId> id = enqueue(request, options, JobOwner::Query);
    if (!id) throw EngineException(id.error());
    const std::shared_ptr<QueuedJob> job = find(*id);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return has_ended(job->state); });
    jobs_.erase(*id);
    if (job->state == JobState::Failed) throw EngineException(job->end.error);
    if (job->state != JobState::Done) fail(ErrorCode::Canceled);
    return job->end.report;
}

} // namespace reelmesh
