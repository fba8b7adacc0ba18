// What is asked of an engine beside its jobs; each answer is found on a thread of its own.
#include "jobs/engine_impl.h"

#include <utility>

#include "base/check.h"
#include "base/temporary_folder.h"
#include "jobs/bench_mesh.h"
#include "jobs/export_media.h"
#include "jobs/inspect.h"
#include "jobs/parity.h"
#include "media/clip_loader.h"
#include "pipeline/prompt_stage.h"
#include "text/prompt_cleaning.h"

namespace reelmesh {
namespace {

/// Of a clip that was loaded to be looked at.
constexpr std::uint64_t kClipBytes = std::uint64_t{1} << 30;

} // namespace

std::future<Result<InspectReport>> EngineImpl::inspect(std::string path, JobRequest request,
                                                       InspectDetail detail) {
    return query([this, path = std::move(path), request = std::move(request), detail] {
        return catch_errors([&] { return inspect_path(model_folder(path), request, hardware(), detail); });
    });
}

std::future<Result<TokenizedPrompt>> EngineImpl::tokenize(std::string model, std::string prompt) {
    return query([this, model = std::move(model), prompt = std::move(prompt)] {
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
    return query([this] { return engine_info(sample_model_, hardware()); });
}

std::future<Result<ParityReport>> EngineImpl::parity(JobRequest request, RunOptions options, std::string mesh,
                                                     std::string against) {
    return query([this, request = std::move(request), options = std::move(options), mesh = std::move(mesh),
                  against = std::move(against)]() mutable {
        return catch_errors([&] {
            const TemporaryFolder folder("reelmesh-parity");
            // One seed for all runs.
            if (!request.seed) request.seed = drawn_seed();
            options.write_output = false;
            const auto run = [&](const std::string& name, JobRequest job) {
                ParityRun kept{"", folder.path() + "/" + name + "-steps.safetensors",
                               folder.path() + "/" + name + "-frames.safetensors"};
                options.save_steps = kept.steps;
                options.save_frames = kept.frames;
                const JobReport report = run_to_end(job, options);
                kept.mesh = report.mesh;
                kept.on_gpu = report.devices.front() != "cpu";
                return std::pair(kept, report.dtype);
            };
            request.mesh = mesh;
            const auto [first, dtype] = run("mesh", request);
            // Whatever the other devices would choose.
            request.dtype = dtype;
            request.ranks = 0;
            request.mesh = against;
            if (against == "cpu") {
                request.devices = {"cpu"};
                request.mesh = "single";
            }
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
    return query([this, what = std::move(what)] {
        return catch_errors([&] {
            if (what != "mesh")
                fail(ErrorCode::BadField, {{"field", std::string("bench")},
                                           {"found", "\"" + what + "\""},
                                           {"needed", std::string("mesh")},
                                           {"nearest", std::vector<std::string>{"mesh"}}});
            return bench_mesh([this] { return ending(); });
        });
    });
}

std::future<Result<ExportReport>> EngineImpl::export_media(ExportRequest request,
                                                           std::shared_ptr<ExportControl> control) {
    if (!control) control = std::make_shared<ExportControl>();
    return query([this, request = std::move(request), control = std::move(control)] {
        return catch_errors([&] { return run_export(request, *control, [this] { return ending(); }); });
    });
}

std::future<Result<MediaClip>> EngineImpl::load_media(std::string path) {
    return query([this, path = std::move(path)] {
        return catch_errors([&] {
            MediaClip clip = load_clip(path, kClipBytes, [this] { return ending(); });
            // Pictures have no rate of their own.
            if (clip.fps.numerator == 0) {
                clip.fps = FrameRate{};
                const Result<JobRequest> job = job_from_json(clip.job_json, path);
                if (job && job->fps) clip.fps = *job->fps;
            }
            return clip;
        });
    });
}

} // namespace reelmesh
