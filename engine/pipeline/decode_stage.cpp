#include "pipeline/decode_stage.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "base/check.h"
#include "pipeline/preview_stage.h"
#include "weights/tensor_io.h"

namespace reelmesh {
namespace {

/// [3,t,h,w] in -1 ... 1 to [t,h,w,3] in 0 ... 1, as the reference hands frames out.
at::Tensor unit_range(const at::Tensor& video) {
    return video.mul(0.5).add_(0.5).clamp_(0, 1).permute({1, 2, 3, 0});
}

} // namespace

std::int64_t decode(const GenerateTask& task, const VideoVae& vae, const at::Tensor& latents,
                    MeshRunner& mesh, JobHooks& hooks, WriteStage* writer) {
    const std::int64_t latent_frames = latents.size(2);
    const std::int64_t total = task.rules.frame_stride * (latent_frames - 1) + 1;
    std::int64_t done = 0;
    std::vector<at::Tensor> kept;
    mesh.run([&](RankContext& context) {
        // One rank decodes; splitting the picture into bands needs halos between ranks.
        if (context.rank() != 0) return;
        context.enter(Stage::Decode, -1, 0);
        const at::Tensor whole = vae.denormalise(latents.squeeze(0));
        const std::unique_ptr<VaeDecodeRun> run = vae.start_decode();
        const std::int64_t start_ns = steady_now_ns();
        for (std::int64_t first = 0; first < latent_frames; first += kDecodeChunkFrames) {
            const std::int64_t count = std::min(kDecodeChunkFrames, latent_frames - first);
            at::Tensor video;
            {
                const RankContext::Block block(context, static_cast<int>(first), EventWork::Vae);
                video = run->decode(whole.narrow(1, first, count));
            }
            if (!at::isfinite(video).all().item<bool>())
                fail(ErrorCode::NotFinite,
                     {{"tensor", "the decoded frames from " + std::to_string(done + 1)}});
            FramesDecoded decoded{task.job, done, total, to_frames(video)};
            done += static_cast<std::int64_t>(decoded.frames.size());
            if (!task.options.save_frames.empty()) kept.push_back(unit_range(video).contiguous());
            if (writer)
                for (const Frame& frame : decoded.frames)
                    writer->put(frame);
            hooks.frames(std::move(decoded));
            const double share = static_cast<double>(done) / static_cast<double>(total);
            hooks.progress(
                Stage::Decode, static_cast<double>(done), static_cast<double>(total),
                RemainingTime::decoding(share, static_cast<double>(steady_now_ns() - start_ns) * 1e-9));
        }
    });
    REELMESH_CHECK(done == total);
    if (!task.options.save_frames.empty())
        write_tensors(task.options.save_frames, {{"frames", at::cat(kept)}});
    return total;
}

} // namespace reelmesh
