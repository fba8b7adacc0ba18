#include "jobs/export_media.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include "base/check.h"
#include "jobs/output_target.h"
#include "media/png_picture.h"

namespace reelmesh {
namespace {

void check_frames(const std::vector<Frame>& frames) {
    const auto differs = [&](const Frame& frame) {
        return frame.width != frames.front().width || frame.height != frames.front().height ||
               frame.format != frames.front().format || !frame.bytes;
    };
    if (frames.empty() || frames.front().width <= 0 || frames.front().height <= 0 ||
        std::any_of(frames.begin(), frames.end(), differs))
        fail(ErrorCode::BadField,
             {{"field", std::string("frames")},
              {"found", frames.empty() ? std::string("none") : std::string("frames that differ")},
              {"needed", std::string("at least one frame, all of one size and format")}});
}

} // namespace

ExportReport run_export(const ExportRequest& request, ExportControl& control,
                        const std::function<bool()>& should_stop) {
    check_frames(request.frames);
    const Frame& first = request.frames.front();
    const auto stopped = [&] { return control.cancel || should_stop(); };

    JobRequest settings = request.settings;
    settings.fps = request.fps;
    // Where the file goes follows from what is written, not from what the job asked.
    JobRequest written = settings;
    written.width = first.width;
    written.height = first.height;
    written.frames = static_cast<std::int64_t>(request.frames.size());
    if (!written.seed) written.seed = 0;
    const OutputTarget target = resolve_output(written, request.taken_name);

    SinkSpec spec;
    spec.target = target.path;
    spec.exact_name = target.exact_name;
    spec.width = first.width;
    spec.height = first.height;
    spec.fps = request.fps;
    spec.frames = *written.frames;
    spec.crf = settings.output.crf;
    if (settings.output.embed_settings) {
        spec.metadata_json = job_to_json(settings, JobScope::EmbeddedSettings);
        spec.prompt = settings.prompt;
    }
    spec.should_stop = stopped;
    const bool one_picture = target.format == "png" && request.frames.size() == 1;
    const std::unique_ptr<FrameSink> sink =
        one_picture ? std::make_unique<PngPicture>(spec) : make_frame_sink(target.format, spec);
    for (const Frame& frame : request.frames) {
        if (stopped()) fail(ErrorCode::Canceled);
        sink->write(frame);
        ++control.written;
    }
    if (stopped()) fail(ErrorCode::Canceled);
    const WrittenMedia media = sink->finish();
    return {media.path, media.encoder, media.bytes, spec.frames, media.notices};
}

} // namespace reelmesh
