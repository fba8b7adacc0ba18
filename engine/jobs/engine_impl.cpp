#include "jobs/engine_impl.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <random>
#include <utility>

#include "base/check.h"
#include "base/temporary_folder.h"
#include "device/hardware.h"
#include "device/hardware_presets.h"
#include "jobs/bench_mesh.h"
#include "jobs/inspect.h"
#include "jobs/job_log.h"
#include "jobs/output_target.h"
#include "jobs/parity.h"
#include "jobs/preview_store.h"
#include "jobs/resources.h"
#include "pipeline/planner.h"
#include "pipeline/prompt_stage.h"
#include "text/prompt_cleaning.h"

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
    JobEnd end;                   ///< once the state is a final one
    bool was_interrupted = false; ///< by a pause or an early end: its time says nothing
};

namespace {

constexpr std::int64_t kProgressPeriodNs = 100'000'000;

/// Drawn in the range that fits every tool's seed field.
std::uint64_t random_seed() {
    std::random_device device;
    return std::uniform_int_distribution<std::uint64_t>(0, (std::uint64_t{1} << 31) - 1)(device);
}

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
      control_([this] { control_loop(); }) {}

EngineImpl::~EngineImpl() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        queue_.clear();
        for (Replica& replica : replicas_) {
            if (!replica.active) continue;
            replica.active->stop = true;
            replica.mesh->gate().cancel();
        }
    }
    changed_.notify_all();
    control_.join();
}

std::string EngineImpl::model_folder(const std::string& asked) const {
    if (!asked.empty()) return asked;
    if (sample_model_.empty()) fail(ErrorCode::FileMissing, {{"file", std::string("the sample model")}});
    return sample_model_;
}

Result<JobId> EngineImpl::submit(const JobRequest& request, const RunOptions& options) {
    return catch_errors([&]() -> JobId {
        const HardwareSnapshot hardware = this->hardware();
        // More ranks than the machine has are told as such, whatever mesh they would make.
        if (const auto fault = ranks_fault(request.ranks, hardware)) throw EngineException(*fault);
        const std::vector<Error> faults = validate_without_model(request);
        if (!faults.empty()) throw EngineException(faults.front());
        auto job = std::make_shared<QueuedJob>();
        GenerateTask& task = job->task;
        task.card = read_model_card(model_folder(request.model));
        task.rules = family_rules(task.card);
        task.request = complete_request(request, task.rules);
        task.options = options;
        task.dtype = resolve_dtype(task.request.dtype, task.card, hardware);
        chosen_plan(make_plans({task.card, task.rules, task.request, hardware, options.threads}));
        if (!task.request.seed) task.request.seed = random_seed();
        if (options.write_output) {
            const OutputTarget target = resolve_output(task.request);
            task.output_format = target.format;
            task.output_target = target.path;
            task.exact_name = target.exact_name;
        }
        {
            const std::lock_guard lock(mutex_);
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

Result<JobRequest> EngineImpl::resolved(JobId id) const {
    const std::shared_ptr<QueuedJob> job = find(id);
    if (!job) return make_error(ErrorCode::UnknownField, {{"field", "job " + std::to_string(id)}});
    return job->task.request;
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
            changed_.wait(lock, [this] { return ending_ || !queue_.empty(); });
            if (ending_) return;
            job = queue_.front();
            queue_.pop_front();
            job->state = JobState::Running;
        }
        run_replicas(job, data_degree(job->task.request));
    }
}

void EngineImpl::run_replicas(std::shared_ptr<QueuedJob> first, int count) {
    const std::shared_ptr<QueuedJob> like = first;
    {
        const std::lock_guard lock(mutex_);
        while (static_cast<int>(replicas_.size()) < count)
            replicas_.emplace_back();
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
    const auto fits = [&] {
        return !queue_.empty() && queue_.front()->task.request.mesh == like.task.request.mesh &&
               queue_.front()->task.options.threads == like.task.options.threads;
    };
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ending_ || busy_replicas_ == 0 || !queue_.empty(); });
    if (ending_ || !fits()) return nullptr;
    const std::shared_ptr<QueuedJob> job = queue_.front();
    queue_.pop_front();
    job->state = JobState::Running;
    ++busy_replicas_;
    return job;
}

MeshRunner& EngineImpl::mesh_for(Replica& replica, MeshOptions options) {
    std::unique_ptr<MeshRunner>& mesh = replica.mesh;
    const bool fits = mesh && mesh->usable() && mesh->shape() == options.shape &&
                      mesh->threads() == options.threads && mesh->slot_weights() == options.slot_weights;
    if (!fits) {
        mesh.reset();
        options.hooks = tuning_.hooks;
        options.deadline = tuning_.deadline;
        options.check = tuning_.check;
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
        const std::int64_t start_ns = steady_now_ns();
        MeshRunner& mesh = mesh_for(replica, options);
        log.mesh_ready(plan.mesh, mesh.ranks(), static_cast<double>(steady_now_ns() - start_ns) * 1e-9);
        end.report.mesh = plan.mesh;
        {
            const std::lock_guard lock(mutex_);
            mesh.gate().reset();
            replica.active = &job;
            if (job.stop || ending_) mesh.gate().cancel();
            job.stop = job.stop || ending_;
        }
        JobRelay relay(job, hub_, log, mutex_, changed_);
        generate(job.task, mesh, models_, relay, end.report);
        const std::lock_guard lock(mutex_);
        if (!job.was_interrupted && job.task.options.from_latents.empty() && threads == hardware.cores)
            speed_.remember(denoise_flop(job.task), end.report.timings.denoise);
    } catch (...) {
        end.error = current_error();
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

std::future<Result<InspectReport>> EngineImpl::inspect(std::string path, JobRequest request,
                                                       InspectDetail detail) {
    return std::async(
        std::launch::async, [this, path = std::move(path), request = std::move(request), detail] {
            return catch_errors([&] { return inspect_path(model_folder(path), request, detail); });
        });
}

std::future<Result<TokenizedPrompt>> EngineImpl::tokenize(std::string model, std::string prompt) {
    return std::async(std::launch::async, [this, model = std::move(model), prompt = std::move(prompt)] {
        return catch_errors([&] {
            JobRequest request;
            request.prompt = prompt;
            const std::vector<Error> faults = validate_without_model(request);
            if (!faults.empty()) throw EngineException(faults.front());
            const ModelCard card = read_model_card(model_folder(model));
            TokenizedPrompt result;
            result.text = clean_prompt(prompt);
            result.limit = family_rules(card).text_tokens;
            const Tokens tokens = load_tokenizer(card.tokenizer_folder)->tokenize(result.text, result.limit);
            result.ids = tokens.ids;
            result.count = tokens.count;
            result.cut_byte = tokens.cut_byte;
            return result;
        });
    });
}

std::future<EngineInfo> EngineImpl::info() {
    return std::async(std::launch::async, [this] { return engine_info(sample_model_); });
}

JobReport EngineImpl::run_to_end(const JobRequest& request, const RunOptions& options) {
    const Result<JobId> id = submit(request, options);
    if (!id) throw EngineException(id.error());
    const std::shared_ptr<QueuedJob> job = find(*id);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return ending_ || has_ended(job->state); });
    if (job->state == JobState::Failed) throw EngineException(job->end.error);
    if (job->state != JobState::Done) fail(ErrorCode::Canceled);
    return job->end.report;
}

std::future<Result<ParityReport>> EngineImpl::parity(JobRequest request, RunOptions options, std::string mesh,
                                                     std::string against) {
    return std::async(std::launch::async, [this, request = std::move(request), options = std::move(options),
                                           mesh = std::move(mesh), against = std::move(against)]() mutable {
        return catch_errors([&] {
            const TemporaryFolder folder("reelmesh-parity");
            // One seed for all runs.
            if (!request.seed) request.seed = random_seed();
            options.write_output = false;
            const auto run = [&](const std::string& name, JobRequest job) {
                ParityRun kept{"", folder.path() + "/" + name + "-steps.safetensors",
                               folder.path() + "/" + name + "-frames.safetensors"};
                options.save_steps = kept.steps;
                options.save_frames = kept.frames;
                const JobReport report = run_to_end(job, options);
                kept.mesh = report.mesh;
                return std::pair(kept, report.dtype);
            };
            request.mesh = mesh;
            const auto [first, dtype] = run("mesh", request);
            request.ranks = 0;
            request.mesh = against;
            const ParityRun second = run("against", request).first;
            ParityRun exact;
            if (dtype != "fp32") {
                request.mesh = "single";
                request.dtype = "fp32";
                exact = run("exact", request).first;
            }
            return compare_runs(first, second, exact);
        });
    });
}

std::future<Result<BenchReport>> EngineImpl::bench(std::string what) {
    return std::async(std::launch::async, [this, what = std::move(what)] {
        return catch_errors([&] {
            if (what != "mesh")
                fail(ErrorCode::BadField, {{"field", std::string("bench")},
                                           {"found", "\"" + what + "\""},
                                           {"needed", std::string("mesh")},
                                           {"nearest", std::vector<std::string>{"mesh"}}});
            return bench_mesh([this] {
                const std::lock_guard lock(mutex_);
                return ending_;
            });
        });
    });
}

} // namespace reelmesh
