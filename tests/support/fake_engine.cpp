#include "support/fake_engine.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "request/mesh_rules.h"
#include "request/model_presets.h"

namespace reelmesh {
namespace {

struct Canceled {};

constexpr std::int64_t kLatentStride = 4;

/// A square of the seed's colour that moves to the right; more of it shows with every step.
Frame draw(const JobRequest& request, double shown, std::int64_t frame, std::int64_t frames) {
    const int width = static_cast<int>(*request.width), height = static_cast<int>(*request.height);
    const auto seed = static_cast<unsigned>(*request.seed);
    const std::shared_ptr<std::byte[]> bytes(new std::byte[std::size_t(width) * height * 3]);
    const int side = height / 3;
    const int left = static_cast<int>((width - side) * frame / std::max<std::int64_t>(1, frames - 1));
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            const bool inside = x >= left && x < left + side && y >= side && y < 2 * side;
            for (unsigned channel = 0; channel < 3; ++channel) {
                const unsigned ground = 200 + 20 * channel;
                const unsigned colour = (seed * 37 + channel * 90) % 200;
                const double value = inside ? ground + (double(colour) - ground) * shown : ground;
                bytes[(std::size_t(y) * width + x) * 3 + channel] = std::byte(value);
            }
        }
    }
    return {width, height, PixelFormat::Rgb8, std::size_t(width) * 3, bytes};
}

Error not_here(const std::string& what) {
    Error error;
    error.code = ErrorCode::Internal;
    error.arguments = {{"reason", "the fake engine has no " + what}};
    return error;
}

template <class T>
std::future<T> ready(T value) {
    std::promise<T> promise;
    promise.set_value(std::move(value));
    return promise.get_future();
}

} // namespace

FakeEngine::FakeEngine(FakeScript script) : script_(std::move(script)), thread_([this] { run(); }) {
    if (!script_.loads.empty()) load_thread_ = std::thread([this] { sample_load(); });
}

FakeEngine::~FakeEngine() {
    shut_down();
    thread_.join();
    if (load_thread_.joinable()) load_thread_.join();
}

void FakeEngine::shut_down() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
}

Result<JobId> FakeEngine::submit(const JobRequest& request, const RunOptions&) {
    if (script_.refusal.code != ErrorCode::None) return script_.refusal;
    std::unique_lock lock(mutex_);
    Job job{.id = ++last_id_, .request = with_defaults(request, rules(request.model).value())};
    if (!job.request.seed) job.request.seed = job.id;
    jobs_[job.id] = job;
    waiting_.push_back(job.id);
    lock.unlock();
    post_state(job, JobState::Pending, Stage::None, {}, "");
    changed_.notify_all();
    return job.id;
}

void FakeEngine::cancel(JobId id) {
    std::unique_lock lock(mutex_);
    const auto job = jobs_.find(id);
    if (job == jobs_.end() || job->second.ended) return;
    job->second.canceled = true;
    if (job->second.started) {
        changed_.notify_all();
        return;
    }
    std::erase(waiting_, id);
    lock.unlock();
    end(job->second, JobState::Canceled, Stage::None, {}, "");
}

void FakeEngine::pause(JobId id) {
    const std::lock_guard lock(mutex_);
    if (const auto job = jobs_.find(id); job != jobs_.end()) job->second.paused = true;
}

void FakeEngine::resume(JobId id) {
    const std::lock_guard lock(mutex_);
    if (const auto job = jobs_.find(id); job != jobs_.end()) job->second.paused = false;
    changed_.notify_all();
}

void FakeEngine::stop_and_decode(JobId id) {
    const std::lock_guard lock(mutex_);
    if (const auto job = jobs_.find(id); job != jobs_.end()) job->second.decode_now = true;
    changed_.notify_all();
}

void FakeEngine::move(JobId id, int place) {
    const std::lock_guard lock(mutex_);
    if (std::erase(waiting_, id) == 0) return;
    const auto last = static_cast<int>(waiting_.size());
    waiting_.insert(waiting_.begin() + std::clamp(place, 0, last), id);
}

void FakeEngine::set_queue_gate(QueueGate gate) {
    const std::lock_guard lock(mutex_);
    gate_ = gate;
    changed_.notify_all();
}

QueueGate FakeEngine::queue_gate() const {
    const std::lock_guard lock(mutex_);
    return gate_;
}

void FakeEngine::forget(JobId id) {
    const std::lock_guard lock(mutex_);
    const auto job = jobs_.find(id);
    if (job == jobs_.end() || !job->second.ended) return;
    jobs_.erase(job);
    std::erase_if(previews_, [&](const auto& clip) { return clip.first.first == id; });
}

std::vector<JobId> FakeEngine::pending() const {
    const std::lock_guard lock(mutex_);
    return {waiting_.begin(), waiting_.end()};
}

std::size_t FakeEngine::kept() const {
    const std::lock_guard lock(mutex_);
    return jobs_.size();
}

Result<Plan> FakeEngine::plan_of(JobId id) const {
    const std::lock_guard lock(mutex_);
    const auto job = jobs_.find(id);
    if (job == jobs_.end() || !job->second.started) return not_here("plan of such a job");
    Plan plan;
    plan.mesh = job->second.request.mesh == "auto" ? "single" : job->second.request.mesh;
    plan.ranks = script_.ranks;
    return plan;
}

Result<JobRequest> FakeEngine::resolved(JobId id) const {
    const std::lock_guard lock(mutex_);
    const auto job = jobs_.find(id);
    if (job == jobs_.end()) return not_here("such job");
    return job->second.request;
}

void FakeEngine::set_wakeup(std::function<void()> wakeup) {
    const std::lock_guard lock(mutex_);
    wakeup_ = std::move(wakeup);
    if (wakeup_ && !events_.empty()) wakeup_();
}

bool FakeEngine::drain(EventSink& sink, std::chrono::milliseconds budget) {
    const auto end = std::chrono::steady_clock::now() + budget;
    while (true) {
        Deliver deliver;
        {
            const std::lock_guard lock(mutex_);
            if (events_.empty()) return false;
            if (std::chrono::steady_clock::now() >= end) return true;
            deliver = std::move(events_.front());
            events_.pop_front();
        }
        deliver(sink);
    }
}

void FakeEngine::watch_load(LoadWatch watch) {
    const std::lock_guard lock(mutex_);
    watch_ = watch;
    changed_.notify_all();
}

void FakeEngine::sample_load() {
    std::unique_lock lock(mutex_);
    for (std::size_t next = 0;; ++next) {
        changed_.wait(lock, [this] { return ending_ || watch_ == LoadWatch::Visible; });
        if (ending_) return;
        LoadSample sample = script_.loads[next % script_.loads.size()];
        sample.time_ns = std::chrono::steady_clock::now().time_since_epoch().count();
        events_.push_back([sample = std::move(sample)](EventSink& sink) { sink.on(sample); });
        if (wakeup_) wakeup_();
        if (changed_.wait_for(lock, script_.load_period, [this] { return ending_; })) return;
    }
}

PreviewClip FakeEngine::preview(JobId job, int step) const {
    const std::lock_guard lock(mutex_);
    const auto clip = previews_.find({job, step});
    return clip == previews_.end() ? PreviewClip{} : clip->second;
}

HardwareSnapshot fake_machine() {
    HardwareSnapshot machine;
    machine.cores = 2;
    machine.total_bytes = std::uint64_t{8} << 30;
    machine.available_bytes = std::uint64_t{3} << 30;
    DeviceSummary processor;
    processor.id = "cpu";
    processor.name = "Fake processor";
    processor.total_bytes = machine.total_bytes;
    processor.free_bytes = machine.available_bytes;
    machine.devices = {processor};
    machine.no_gpu_reason = "No GPU: the fake machine has none.";
    return machine;
}

Result<PlanSet> FakeEngine::plan(const JobRequest& request, const HardwareSnapshot& hardware) const {
    std::this_thread::sleep_for(script_.query_time);
    const Result<FamilyRules> family = rules(request.model);
    if (!family) return family.error();
    const JobRequest complete = with_defaults(request, *family);
    if (const auto faults = validate(complete, *family); !faults.empty()) return faults.front();
    const MeshLimits limits = mesh_limits(complete, *family);
    PlanSet set;
    set.tokens = limits.tokens;
    set.latent_frames = (*complete.frames - 1) / family->frame_stride + 1;
    set.family = family->preset;
    set.basis = "measured";
    std::vector<MeshShape> shapes;
    const int most = std::max(1, hardware.cores);
    if (request.mesh != "auto") {
        shapes = {parse_mesh(request.mesh)};
    } else {
        for (int ranks = request.ranks > 0 ? request.ranks : most; ranks >= 1; --ranks) {
            const auto some = legal_meshes(limits, ranks);
            shapes.insert(shapes.end(), some.begin(), some.end());
            if (request.ranks > 0) break;
        }
    }
    for (const MeshShape& shape : shapes)
        set.plans.push_back(plan_of(complete, limits, shape, hardware));
    std::stable_partition(set.plans.begin(), set.plans.end(), [](const Plan& plan) { return !plan.refusal; });
    return set;
}

Plan FakeEngine::plan_of(const JobRequest& request, const MeshLimits& limits, const MeshShape& shape,
                         const HardwareSnapshot& hardware) const {
    constexpr std::uint64_t kTokenBytes = 64 * 1024, kWeights = std::uint64_t{256} << 20;
    Plan plan;
    plan.mesh = mesh_text(shape);
    plan.ranks = shape.ranks();
    plan.forwards_per_step = limits.branches / shape.degree(Axis::Cfg);
    plan.memory.weights = kWeights;
    plan.memory.denoise = kTokenBytes * static_cast<std::uint64_t>(limits.tokens);
    plan.step_seconds = 1e-3 * static_cast<double>(limits.tokens) / plan.ranks;
    plan.total_seconds = plan.step_seconds * static_cast<double>(*request.steps) + 1;
    for (int rank = 0; rank < plan.ranks; ++rank) {
        plan.devices.emplace_back("cpu");
        plan.shares.push_back({"cpu", limits.tokens / plan.ranks, limits.heads,
                               plan.memory.denoise / static_cast<unsigned>(plan.ranks)});
    }
    Error refusal;
    if (plan.ranks > std::max(1, hardware.cores)) {
        refusal.code = ErrorCode::MeshTooLarge;
        refusal.arguments = {{"found", std::int64_t{plan.ranks}},
                             {"needed", std::int64_t{hardware.cores}},
                             {"nearest", std::vector<std::string>{"cfg2", "single"}}};
        plan.refusal = refusal;
    } else if (plan.memory.peak() > hardware.available_bytes && hardware.available_bytes > 0) {
        refusal.code = ErrorCode::MemoryTooSmall;
        refusal.arguments = {{"needed_bytes", plan.memory.peak()},
                             {"free_bytes", hardware.available_bytes},
                             {"device", std::string("cpu")}};
        plan.refusal = refusal;
    }
    return plan;
}

HardwareSnapshot FakeEngine::hardware() const {
    return script_.machine;
}

std::future<Result<ParityReport>> FakeEngine::parity(JobRequest, RunOptions, std::string mesh,
                                                     std::string against) {
    ParityReport report;
    report.mesh = mesh;
    report.against = against;
    // One mesh that differs.
    report.latents_equal = report.within = mesh != "ring2";
    report.latents_rel_l2 = report.within ? 0 : 0.5;
    report.latents_bound = 2e-5;
    report.frames_bound = 1.0 / 255;
    std::promise<Result<ParityReport>> promise;
    promise.set_value(report);
    return promise.get_future();
}

std::future<Result<BenchReport>> FakeEngine::bench(std::string what) {
    std::promise<Result<BenchReport>> promise;
    if (what == "mesh")
        promise.set_value(
            BenchReport{{{"cfg2", {{"speed_up", 1.9}, {"of_ceiling", 0.99}}, "one exchange a step"}}});
    else
        promise.set_value(not_here("bench " + what));
    return promise.get_future();
}

Result<PlanSet> FakeEngine::plan_preset(const std::string& family, const JobRequest& request,
                                        const HardwareSnapshot& hardware) const {
    if (family != kFakePreset) return not_here("preset " + family);
    PlanSet plans = plan(request, hardware).value();
    plans.family = family;
    plans.plans.resize(1);
    plans.plans.front().mesh = "single";
    return plans;
}

Result<HardwareSnapshot> FakeEngine::hardware_preset(const std::string& name) const {
    if (name != kFakeMachine) return not_here("machine " + name);
    HardwareSnapshot hardware;
    hardware.preset = name;
    return hardware;
}

Result<FamilyRules> FakeEngine::rules(const std::string& model) const {
    const std::string name = std::filesystem::path(model).filename().string();
    if (name.starts_with("missing")) {
        Error error;
        error.code = ErrorCode::FileMissing;
        error.arguments = {{"file", model + "/model_index.json"}};
        return error;
    }
    const auto known = model_preset_names();
    if (std::find(known.begin(), known.end(), name) != known.end()) return model_preset(name).rules;
    FamilyRules rules;
    rules.family = "wan";
    rules.preset = "sample";
    rules.heads = 8;
    rules.ffn_dim = 1024;
    rules.layers = 6;
    rules.token_rows = rules.token_columns = 16;
    rules.sizes = {{"square", 128, 128}, {"wide", 176, 96}};
    rules.defaults.negative_prompt = "";
    rules.defaults.width = rules.defaults.height = 128;
    rules.defaults.frames = 17;
    rules.defaults.fps = FrameRate{16, 1};
    rules.defaults.steps = 16;
    rules.defaults.guidance = 5;
    rules.defaults.shift = 3;
    rules.defaults.sampler = "unipc";
    return rules;
}

std::future<Result<InspectReport>> FakeEngine::inspect(std::string, JobRequest, InspectDetail) {
    return ready<Result<InspectReport>>(not_here("files"));
}

std::future<Result<TokenizedPrompt>> FakeEngine::tokenize(std::string, std::string prompt) {
    return std::async(std::launch::async, [time = script_.query_time, prompt]() -> Result<TokenizedPrompt> {
        std::this_thread::sleep_for(time);
        constexpr std::int64_t kLimit = 512;
        TokenizedPrompt tokens;
        tokens.limit = kLimit;
        std::string word;
        const auto end_word = [&] {
            if (word.empty()) return;
            // The end token needs a place too.
            if (++tokens.count == kLimit)
                tokens.cut_byte =
                    static_cast<std::int64_t>(tokens.text.size()) + (tokens.text.empty() ? 0 : 1);
            tokens.text += (tokens.text.empty() ? "" : " ") + word;
            word.clear();
        };
        for (std::size_t at = 0; at < prompt.size(); ++at) {
            if (prompt[at] == ' ' || prompt[at] == '\n' || prompt[at] == '\t') {
                end_word();
            } else if (prompt.compare(at, 5, "&amp;") == 0) {
                word += '&';
                at += 4;
            } else {
                word += prompt[at];
            }
        }
        end_word();
        tokens.ids.assign(static_cast<std::size_t>(std::min(++tokens.count, kLimit)), 7);
        return tokens;
    });
}

std::future<EngineInfo> FakeEngine::info() {
    EngineInfo info;
    info.encoders = script_.encoders;
    return ready<EngineInfo>(info);
}

void FakeEngine::run() {
    while (true) {
        Job* job = nullptr;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock,
                          [this] { return ending_ || (!waiting_.empty() && gate_ != QueueGate::Held); });
            if (ending_) return;
            job = &jobs_[waiting_.front()];
            waiting_.pop_front();
            job->started = true;
        }
        try {
            play(*job);
        } catch (const Canceled&) {
            end(*job, JobState::Canceled, Stage::None, {}, "");
        } catch (const Error& error) {
            end(*job, JobState::Failed, error.stage, error, "");
        }
    }
}

void FakeEngine::play(Job& job) {
    for (LogLine line : script_.log) {
        line.job = job.id;
        post([line](EventSink& sink) { sink.on(line); });
    }
    for (Stage stage : {Stage::Load, Stage::Text, Stage::Denoise}) {
        post_state(job, JobState::Running, stage, {}, "");
        if (stage != Stage::Denoise) wait(job, script_.stage_time);
    }
    play_steps(job);

    post_state(job, JobState::Running, Stage::Decode, {}, "");
    const std::int64_t total = *job.request.frames;
    std::vector<Frame> all;
    for (std::int64_t first = 0; first < total; first += script_.frames_per_chunk) {
        wait(job, script_.stage_time);
        FramesDecoded chunk{.job = job.id, .first = first, .total = total};
        for (std::int64_t i = first; i < std::min(total, first + script_.frames_per_chunk); ++i)
            chunk.frames.push_back(draw(job.request, 1, i, total));
        all.insert(all.end(), chunk.frames.begin(), chunk.frames.end());
        const auto done = static_cast<double>(all.size());
        post([chunk](EventSink& sink) { sink.on(chunk); });
        post([id = job.id, done, total](EventSink& sink) {
            sink.on(StageProgress{.job = id, .stage = Stage::Decode, .done = done, .total = double(total)});
        });
    }
    post_state(job, JobState::Running, Stage::Write, {}, "");
    wait(job, script_.stage_time);
    const std::string number = job.id == 1 ? "" : "_" + std::to_string(job.id);
    const std::string output =
        script_.write_file ? write_file(job, all) : job.request.output.path + "/clip" + number + ".mp4";
    {
        const std::lock_guard lock(mutex_);
        files_[output] = job.request;
    }
    end(job, JobState::Done, Stage::Write, {}, output);
}

void FakeEngine::play_steps(Job& job) {
    const int steps = static_cast<int>(*job.request.steps);
    const std::int64_t latent_frames = (*job.request.frames - 1) / kLatentStride + 1;
    for (int step = 0; step < steps && may_step(job); ++step) {
        wait(job, script_.step_time);
        if (script_.failure.code != ErrorCode::None && step == script_.fail_at_step) throw script_.failure;
        PreviewClip clip{.step = step, .frames_per_second = job.request.fps->value() / kLatentStride};
        for (std::int64_t i = 0; i < latent_frames; ++i)
            clip.frames.push_back(draw(job.request, double(step + 1) / steps, i, latent_frames));
        {
            const std::lock_guard lock(mutex_);
            previews_[{job.id, step}] = std::move(clip);
        }
        StepDone done{.job = job.id, .step = step, .steps = steps, .seconds = 0.1};
        done.remaining_seconds = 0.1 * (steps - step - 1) + 1;
        for (int rank = 0; rank < script_.ranks; ++rank)
            done.rank_seconds.push_back(0.1 - 0.01 * ((rank + step) % script_.ranks));
        post([done](EventSink& sink) { sink.on(done); });
        post([id = job.id, step](EventSink& sink) { sink.on(PreviewReady{id, step}); });
        job.steps_done = step + 1;
    }
}

bool FakeEngine::may_step(Job& job) {
    std::unique_lock lock(mutex_);
    if (job.paused) {
        lock.unlock();
        post_state(job, JobState::Paused, Stage::Denoise, {}, "");
        lock.lock();
        changed_.wait(lock, [&] { return ending_ || !job.paused || job.canceled || job.decode_now; });
        lock.unlock();
        post_state(job, JobState::Running, Stage::Denoise, {}, "");
        lock.lock();
    }
    if (ending_ || job.canceled) throw Canceled{};
    // As the engine: before the first step there is nothing to decode.
    if (job.decode_now && job.steps_done == 0) throw Canceled{};
    return !job.decode_now;
}

void FakeEngine::end(Job& job, JobState state, Stage stage, const Error& error, const std::string& output) {
    post_state(job, state, stage, error, output);
    const std::lock_guard lock(mutex_);
    job.ended = true;
    if (state == JobState::Failed && gate_ == QueueGate::UntilFailure) gate_ = QueueGate::Held;
}

std::future<Result<ExportReport>> FakeEngine::export_media(ExportRequest request,
                                                           std::shared_ptr<ExportControl> control) {
    return std::async(
        std::launch::async,
        [this, request = std::move(request), control = std::move(control)]() -> Result<ExportReport> {
            try {
                return write_export(request, *control);
            } catch (const Error& error) {
                return error;
            }
        });
}

ExportReport FakeEngine::write_export(const ExportRequest& request, ExportControl& control) {
    if (script_.export_failure.code != ErrorCode::None) throw script_.export_failure;
    std::filesystem::path file = request.settings.output.path;
    const auto fail = [&](ErrorCode code) {
        Error error;
        error.code = code;
        error.arguments = {{"file", file.string()}, {"reason", std::string("Permission denied")}};
        throw error;
    };
    if (!std::filesystem::is_directory(file.parent_path())) fail(ErrorCode::FolderMissing);
    const std::filesystem::path asked = file;
    for (int number = 2; std::filesystem::exists(file); ++number) {
        if (request.taken_name == TakenName::Refuse) fail(ErrorCode::OutputExists);
        file = asked.parent_path() /
               (asked.stem().string() + "_" + std::to_string(number) + asked.extension().string());
    }
    for (std::size_t frame = 0; frame < request.frames.size(); ++frame) {
        {
            std::unique_lock lock(mutex_);
            changed_.wait_for(lock, script_.step_time, [&] { return ending_; });
            if (ending_ || control.cancel) fail(ErrorCode::Canceled);
        }
        ++control.written;
    }
    std::FILE* out = std::fopen(file.c_str(), "w");
    if (!out) fail(ErrorCode::NotWritable);
    std::fprintf(out, "%zu frames, crf %d\n", request.frames.size(), request.settings.output.crf);
    std::fclose(out);
    return {file,
            "libx264",
            std::filesystem::file_size(file),
            static_cast<std::int64_t>(request.frames.size()),
            {}};
}

std::future<Result<MediaClip>> FakeEngine::load_media(std::string path) {
    return std::async(std::launch::async, [this, path = std::move(path)]() -> Result<MediaClip> {
        JobRequest request;
        {
            const std::lock_guard lock(mutex_);
            const auto file = files_.find(path);
            if (file == files_.end()) {
                Error error;
                error.code = ErrorCode::FileMissing;
                error.arguments = {{"file", path}};
                return error;
            }
            request = file->second;
        }
        MediaClip clip;
        clip.fps = *request.fps;
        clip.job_json = job_to_json(request, JobScope::EmbeddedSettings);
        clip.width = *request.width;
        clip.height = *request.height;
        for (std::int64_t frame = 0; frame < *request.frames; ++frame)
            clip.frames.push_back(draw(request, 1, frame, *request.frames));
        return clip;
    });
}

std::string FakeEngine::write_file(const Job& job, const std::vector<Frame>& frames) {
    const std::filesystem::path folder = job.request.output.path;
    std::filesystem::path file;
    for (int number = 1; file.empty() || std::filesystem::exists(file); ++number)
        file = folder / ("fake_" + std::to_string(number) + ".mp4");
    const std::string command =
        "ffmpeg -loglevel error -f rawvideo -pix_fmt rgb24 -s " + std::to_string(frames.front().width) + "x" +
        std::to_string(frames.front().height) + " -r " + frame_rate_text(*job.request.fps) +
        " -i - -c:v libx264 -threads 1 -pix_fmt yuv420p -flags +bitexact -fflags +bitexact -f mp4 '" +
        file.string() + ".part' -y";
    std::FILE* encoder = popen(command.c_str(), "w");
    if (!encoder) throw not_here("ffmpeg");
    for (const Frame& frame : frames)
        std::fwrite(frame.row(0), 1, frame.stride * static_cast<std::size_t>(frame.height), encoder);
    if (pclose(encoder) != 0) throw not_here("ffmpeg");
    std::filesystem::rename(file.string() + ".part", file);
    return file;
}

void FakeEngine::wait(const Job& job, std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, time, [&] { return ending_ || job.canceled; })) throw Canceled{};
}

void FakeEngine::post(Deliver deliver) {
    const std::lock_guard lock(mutex_);
    events_.push_back(std::move(deliver));
    if (wakeup_) wakeup_();
}

void FakeEngine::post_state(const Job& job, JobState state, Stage stage, const Error& error,
                            const std::string& output) {
    JobStateChanged event{.job = job.id, .state = state, .stage = stage, .error = error};
    event.report.output = output;
    event.report.seed = *job.request.seed;
    event.report.frames = *job.request.frames;
    event.report.partial = job.decode_now && state == JobState::Done;
    event.stopping = job.canceled && state == JobState::Running;
    post([event](EventSink& sink) { sink.on(event); });
}

} // namespace reelmesh
