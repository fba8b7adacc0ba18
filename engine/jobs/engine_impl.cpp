#include "jobs/engine_impl.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <random>

#include "base/check.h"
#include "device/hardware.h"
#include "jobs/inspect.h"
#include "jobs/output_target.h"
#include "jobs/preview_store.h"
#include "jobs/resources.h"
#include "pipeline/planner.h"
#include "text/prompt_cleaning.h"

namespace reelmesh {

struct QueuedJob {
    GenerateTask task;
    PreviewStore previews;
    // Guarded by the engine's mutex.
    JobState state = JobState::Pending;
    Stage stage = Stage::None;
    bool stop = false;
    bool decode_now = false;
    bool paused = false;
};

namespace {

constexpr std::int64_t kProgressPeriodNs = 100'000'000;

/// Drawn in the range that fits every tool's seed field.
std::uint64_t random_seed() {
    std::random_device device;
    return std::uniform_int_distribution<std::uint64_t>(0, (std::uint64_t{1} << 31) - 1)(device);
}

class JobRelay final : public JobHooks {
public:
    JobRelay(QueuedJob& job, EventHub& hub, std::mutex& mutex, std::condition_variable& changed)
        : job_(job), hub_(hub), mutex_(mutex), changed_(changed) {}

    void stage(Stage stage) override {
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
    void step(const StepDone& done) override { hub_.post(done); }
    void preview(PreviewClip clip) override {
        const int step = clip.step;
        job_.previews.put(std::move(clip));
        hub_.post(PreviewReady{job_.task.job, step});
    }
    void frames(FramesDecoded decoded) override { hub_.post(std::move(decoded)); }
    void telemetry(const std::vector<TelemetryEvent>& events, std::uint64_t dropped) override {
        hub_.post(job_.task.job, events, dropped);
    }
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
    std::mutex& mutex_;
    std::condition_variable& changed_;
    std::atomic<std::int64_t> next_progress_ns_{0};
};

} // namespace

EngineImpl::EngineImpl(const EngineOptions& options)
    : sample_model_(find_sample_model(options.resources)), control_([this] { control_loop(); }) {}

EngineImpl::~EngineImpl() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
        queue_.clear();
        if (active_) {
            active_->stop = true;
            mesh_->gate().cancel();
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
        const HardwareSnapshot hardware = hardware_snapshot();
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
            if (active_ == &job) mesh_->gate().cancel();
            hub_.post(JobStateChanged{id, JobState::Running, job.stage, true, {}, {}});
        }
    });
}

void EngineImpl::pause(JobId id) {
    change(id, [](QueuedJob& job) { job.paused = true; });
}

void EngineImpl::resume(JobId id) {
    change(id, [](QueuedJob& job) { job.paused = false; });
}

void EngineImpl::stop_and_decode(JobId id) {
    change(id, [](QueuedJob& job) { job.decode_now = true; });
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
        run(*job);
    }
}

MeshRunner& EngineImpl::mesh_for(const MeshShape& shape, int threads) {
    if (!mesh_ || !mesh_->usable() || !(mesh_->shape() == shape) || mesh_->threads() != threads) {
        mesh_.reset();
        MeshOptions options;
        options.shape = shape;
        options.threads = threads;
        mesh_ = std::make_unique<MeshRunner>(options);
    }
    return *mesh_;
}

void EngineImpl::run(QueuedJob& job) {
    JobStateChanged end{job.task.job, JobState::Done, Stage::None, false, {}, {}};
    try {
        const HardwareSnapshot hardware = hardware_snapshot();
        const PlanSet plans =
            make_plans({job.task.card, job.task.rules, job.task.request, hardware, job.task.options.threads});
        const Plan& plan = chosen_plan(plans);
        const int threads = job.task.options.threads > 0 ? job.task.options.threads : hardware.cores;
        MeshRunner& mesh = mesh_for(parse_mesh(plan.mesh), threads);
        end.report.mesh = plan.mesh;
        {
            const std::lock_guard lock(mutex_);
            mesh.gate().reset();
            active_ = &job;
            if (job.stop || ending_) mesh.gate().cancel();
            job.stop = job.stop || ending_;
        }
        JobRelay relay(job, hub_, mutex_, changed_);
        generate(job.task, mesh, models_, relay, end.report);
    } catch (...) {
        end.error = current_error();
        end.state = end.error.code == ErrorCode::Canceled ? JobState::Canceled : JobState::Failed;
    }
    end.report.seed = *job.task.request.seed;
    end.report.dtype = dtype_name(job.task.dtype);
    end.report.sampler = *job.task.request.sampler;
    {
        const std::lock_guard lock(mutex_);
        active_ = nullptr;
        job.state = end.state;
        end.stage = job.stage;
        hub_.post(std::move(end));
    }
}

Result<PlanSet> EngineImpl::plan(const JobRequest& request, const HardwareSnapshot& hardware) const {
    return catch_errors([&] {
        const ModelCard card = read_model_card(model_folder(request.model));
        const FamilyRules rules = family_rules(card);
        return make_plans({card, rules, complete_request(request, rules), hardware});
    });
}

HardwareSnapshot EngineImpl::hardware() const {
    return hardware_snapshot();
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

} // namespace reelmesh
