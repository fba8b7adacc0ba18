#include "pipeline/generate.h"

#include <ATen/ATen.h>

#include <filesystem>
#include <set>
#include <utility>

#include "base/check.h"
#include "device/cuda_backend.h"
#include "device/hardware.h"
#include "engine/trace.h"
#include "pipeline/decode_stage.h"
#include "pipeline/denoise_stage.h"
#include "pipeline/preview_stage.h"
#include "pipeline/prompt_stage.h"
#include "pipeline/write_stage.h"
#include "telemetry/collector.h"
#include "weights/tensor_io.h"

namespace reelmesh {
namespace {

/// Announces a stage, times it, records it, and marks errors that leave it.
class StageScope {
public:
    StageScope(Stage stage, double& seconds, TelemetryWriter& host, JobHooks& hooks)
        : seconds_(seconds), host_(host) {
        event_.kind = EventKind::Stage;
        event_.detail = static_cast<std::uint16_t>(stage);
        event_.start_ns = steady_now_ns();
        hooks.stage(stage);
    }
    ~StageScope() {
        event_.end_ns = steady_now_ns();
        seconds_ += static_cast<double>(event_.end_ns - event_.start_ns) * 1e-9;
        host_.write(event_);
        release_freed_memory();
    }
    StageScope(const StageScope&) = delete;
    StageScope& operator=(const StageScope&) = delete;

private:
    double& seconds_;
    TelemetryWriter& host_;
    TelemetryEvent event_;
};

/// Runs one stage; an error that names no stage gets this one.
template <class F>
auto in_stage(Stage stage, double& seconds, TelemetryWriter& host, JobHooks& hooks, F&& function) {
    const StageScope scope(stage, seconds, host, hooks);
    try {
        return function();
    } catch (...) {
        Error error = current_error();
        if (error.stage == Stage::None) error.stage = stage;
        throw EngineException(error);
    }
}

/// A partial result says so in its name, where the name is ours to choose.
std::string output_target(const GenerateTask& task, const JobReport& report) {
    if (!report.partial || task.exact_name) return task.output_target;
    const std::filesystem::path path(task.output_target);
    return path.parent_path() / (path.stem().string() + "_partial" + path.extension().string());
}

SinkSpec sink_spec(const GenerateTask& task, std::string target, std::int64_t frames, int threads) {
    SinkSpec spec;
    spec.target = std::move(target);
    spec.exact_name = task.exact_name;
    spec.width = static_cast<int>(*task.request.width);
    spec.height = static_cast<int>(*task.request.height);
    spec.fps = *task.request.fps;
    spec.frames = frames;
    spec.crf = task.request.output.crf;
    if (task.request.output.embed_settings)
        spec.metadata_json = job_to_json(task.request, JobScope::EmbeddedSettings);
    spec.prompt = task.request.prompt;
    spec.threads = threads;
    return spec;
}

/// Each GPU of a mesh once.
std::set<int> gpus(const MeshRunner& mesh) {
    std::set<int> indices;
    for (const c10::Device device : mesh.devices())
        if (device.is_cuda()) indices.insert(device.index());
    return indices;
}

class Generation {
public:
    Generation(const GenerateTask& task, MeshRunner& mesh, ModelCache& models, JobHooks& hooks,
               JobReport& report)
        : task_(task), mesh_(mesh), models_(models), hooks_(hooks), report_(report),
          collector_(!task.options.trace.empty(),
                     [&hooks](const std::vector<TelemetryEvent>& events, std::uint64_t dropped) {
                         hooks.telemetry(events, dropped);
                     }) {
        collector_.add(host_);
        for (int rank = 0; rank < mesh.ranks(); ++rank)
            collector_.add(mesh.writer(rank));
    }

    void run() {
        model_ = in_stage(Stage::Load, report_.timings.load, host_, hooks_, [&] { return load(); });
        const FamilyDescription description = model_->family->describe(task_.card, task_.request);
        const at::Tensor latents =
            task_.options.from_latents.empty() ? sample(description) : stored_latents(description);
        decode_and_write(latents);
    }

    ~Generation() {
        collector_.collect();
        report_.bytes_by_axis = mesh_.sent_bytes();
        report_.peak_bytes = {peak_resident_bytes()};
        for (const int gpu : gpus(mesh_))
            report_.peak_bytes.push_back(cuda_part().backend->peak_bytes(gpu));
    }

    void write_trace() {
        if (task_.options.trace.empty()) return;
        collector_.collect();
        Trace trace;
        trace.events = collector_.kept();
        trace.dropped = collector_.dropped();
        trace.mesh = mesh_text(mesh_.shape());
        for (int rank = 0; rank < mesh_.ranks(); ++rank)
            trace.devices.push_back(
                mesh_.devices().empty() ? "cpu" : mesh_.devices()[static_cast<std::size_t>(rank)].str());
        trace.job_json = job_to_json(task_.request, JobScope::Whole);
        trace.detail = task_.options.detail;
        const std::string& path = task_.options.trace;
        const Result<bool> written =
            path.ends_with(kTraceSuffix) ? reelmesh::write_trace(path, trace) : write_trace_json(path, trace);
        if (!written) throw EngineException(written.error());
    }

private:
    std::shared_ptr<const LoadedModel> load() {
        LoadSettings settings;
        settings.threads = mesh_.threads();
        settings.devices = task_.devices;
        settings.should_stop = [this] { return hooks_.should_stop(); };
        settings.progress = [this](double done, double total) {
            hooks_.progress(Stage::Load, done, total, -1);
        };
        return models_.get(task_.card, task_.dtype, settings);
    }

    at::Tensor sample(const FamilyDescription& description) {
        const std::vector<BranchContexts> contexts =
            in_stage(Stage::Text, report_.timings.text, host_, hooks_, [&] {
                return encode_prompts(task_, *model_, description, mesh_, hooks_, report_.notices);
            });
        if (task_.request.preview != "off" && !preview_factors(task_.card.vae))
            report_.notices.push_back("previews are grey: this latent space is not known");
        RemainingTime remaining(static_cast<int>(*task_.request.steps), decode_forecast(description));
        DenoiseResult result;
        try {
            in_stage(Stage::Denoise, report_.timings.denoise, host_, hooks_, [&] {
                denoise({task_, *model_, description, contexts, mesh_, remaining, hooks_, collector_},
                        result);
            });
        } catch (...) {
            // Hours of sampling are kept where the user asked for the latents, also when the job was cut
            // short.
            if (!result.latents.empty()) save_latents(result.latents.front());
            throw;
        }
        save_latents(result.latents.front());
        if (result.steps_done < *task_.request.steps) {
            report_.partial = true;
            report_.notices.push_back("stopped after step " + std::to_string(result.steps_done) + " of " +
                                      std::to_string(*task_.request.steps) +
                                      ": a partial result; the settings kept with it are those of the whole "
                                      "job");
        }
        return result.latents.front();
    }

    double video_pixels() const {
        return static_cast<double>(*task_.request.width * *task_.request.height * *task_.request.frames);
    }

    DecodeForecast decode_forecast(const FamilyDescription& description) const {
        const LatentStream& stream = description.streams.front();
        const int forwards = guidance_branches(task_.request, description) / mesh_.shape().degree(Axis::Cfg);
        DecodeForecast forecast;
        forecast.measured_seconds = models_.decode_seconds_per_pixel() * video_pixels();
        forecast.in_steps =
            vae_decode_multiply_adds(task_.card, stream.shape[1], stream.shape[2], stream.shape[3]) /
            (description.cost.multiply_adds * forwards);
        return forecast;
    }

    at::Tensor stored_latents(const FamilyDescription& description) const {
        std::vector<std::int64_t> shape = description.streams.front().shape;
        shape.insert(shape.begin(), 1);
        return read_tensor(task_.options.from_latents, "latents", shape);
    }

    void save_latents(const at::Tensor& latents) const {
        if (!task_.options.save_latents.empty())
            write_tensors(task_.options.save_latents, {{"latents", latents.contiguous()}});
    }

    void decode_and_write(const at::Tensor& latents) {
        std::unique_ptr<WriteStage> writer;
        in_stage(Stage::Decode, report_.timings.decode, host_, hooks_, [&] {
            const std::int64_t total = task_.rules.frame_stride * (latents.size(2) - 1) + 1;
            if (!task_.output_target.empty()) {
                SinkSpec spec = sink_spec(task_, output_target(task_, report_), total, mesh_.threads());
                spec.should_stop = [this] { return hooks_.should_stop(); };
                writer = std::make_unique<WriteStage>(task_.output_format, spec);
            }
            const std::int64_t start_ns = steady_now_ns();
            report_.frames = decode(task_, *model_, latents, mesh_, hooks_, writer.get());
            models_.remember_decode_speed(static_cast<double>(steady_now_ns() - start_ns) * 1e-9 /
                                          video_pixels());
        });
        if (!writer) return;
        double waiting = 0;
        in_stage(Stage::Write, waiting, host_, hooks_, [&] {
            if (hooks_.should_stop()) fail(ErrorCode::Canceled);
            const WrittenMedia media = writer->finish();
            report_.output = media.path;
            report_.encoder = media.encoder;
            report_.notices.insert(report_.notices.end(), media.notices.begin(), media.notices.end());
        });
        report_.timings.write = writer->seconds();
        collector_.add(writer->telemetry());
        collector_.remove(writer->telemetry());
    }

    const GenerateTask& task_;
    MeshRunner& mesh_;
    ModelCache& models_;
    JobHooks& hooks_;
    JobReport& report_;
    TelemetryWriter host_{-1};
    std::shared_ptr<const LoadedModel> model_;
    TelemetryCollector collector_;
};

} // namespace

void generate(const GenerateTask& task, MeshRunner& mesh, ModelCache& models, JobHooks& hooks,
              JobReport& report) {
    reset_peak_resident_bytes();
    for (const int gpu : gpus(mesh))
        cuda_part().backend->reset_peak_bytes(gpu);
    mesh.begin_job(static_cast<std::uint32_t>(task.job), task.options.detail);
    Generation generation(task, mesh, models, hooks, report);
    generation.run();
    generation.write_trace();
}

} // namespace reelmesh
