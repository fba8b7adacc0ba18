#include "pipeline/decode_stage.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "base/check.h"
#include "base/split.h"
#include "parallel/halo_band.h"
#include "pipeline/preview_stage.h"
#include "weights/tensor_io.h"

namespace reelmesh {
namespace {

/// [3,t,h,w] in -1 ... 1 to [t,h,w,3] in 0 ... 1, as the reference hands frames out.
at::Tensor unit_range(const at::Tensor& video) {
    return video.mul(0.5).add_(0.5).clamp_(0, 1).permute({1, 2, 3, 0});
}

/// Frames that came together from all bands.
struct DecodedChunk {
    std::vector<Frame> frames;
    at::Tensor exact; ///< [t,h,w,3] in 0 ... 1; undefined where nobody asked
};

/// Where ranks put their rows of a chunk's frames, side by side; the one that completes it hands it on.
/// Chunks are completed in order, since no rank begins a chunk before it has put its rows of the one before.
class FrameAssembly {
public:
    FrameAssembly(int height, int width, int bands, bool keep_exact)
        : height_(height), width_(width), bands_(bands), keep_exact_(keep_exact) {}

    /// video [3,t,rows,w] from first_row on; any rank's thread. The chunk, if this was its last band.
    std::optional<DecodedChunk> add(std::int64_t chunk, std::int64_t first_row, const at::Tensor& video) {
        Part& part = part_of(chunk, video.size(1));
        const std::vector<Frame> rows = to_frames(video);
        const std::size_t stride = static_cast<std::size_t>(width_) * 3;
        for (std::size_t i = 0; i < rows.size(); ++i)
            std::copy_n(rows[i].bytes.get(), stride * static_cast<std::size_t>(rows[i].height),
                        part.bytes[i].get() + stride * static_cast<std::size_t>(first_row));
        if (keep_exact_) part.exact.narrow(1, first_row, video.size(2)).copy_(unit_range(video));
        const std::lock_guard lock(mutex_);
        if (--part.missing > 0) return std::nullopt;
        DecodedChunk done{{}, part.exact};
        for (const auto& bytes : part.bytes)
            done.frames.push_back({width_, height_, PixelFormat::Rgb8, stride, bytes});
        parts_.erase(chunk);
        return done;
    }

private:
    struct Part {
        std::vector<std::shared_ptr<std::byte[]>> bytes;
        at::Tensor exact;
        int missing = 0;
    };

    Part& part_of(std::int64_t chunk, std::int64_t frames) {
        const std::lock_guard lock(mutex_);
        Part& part = parts_[chunk];
        if (!part.bytes.empty()) return part;
        for (std::int64_t i = 0; i < frames; ++i)
            part.bytes.push_back(
                std::make_shared<std::byte[]>(static_cast<std::size_t>(width_ * height_) * 3));
        if (keep_exact_) part.exact = at::empty({frames, height_, width_, 3}, at::kFloat);
        part.missing = bands_;
        return part;
    }

    const int height_, width_, bands_;
    const bool keep_exact_;
    std::mutex mutex_; // guards parts_ and missing; rows are written side by side
    std::map<std::int64_t, Part> parts_;
};

class ClipDecoder {
public:
    ClipDecoder(const GenerateTask& task, const LoadedModel& model, const at::Tensor& latents,
                MeshRunner& mesh, JobHooks& hooks, WriteStage* writer)
        : task_(task), model_(model), latents_(latents.squeeze(0)), hooks_(hooks), writer_(writer),
          total_(task.rules.frame_stride * (latents_.size(1) - 1) + 1),
          bands_(split(latents_.size(2),
                       static_cast<int>(std::min<std::int64_t>(mesh.ranks(), latents_.size(2))))),
          assembly_(static_cast<int>(*task.request.height), static_cast<int>(*task.request.width),
                    static_cast<int>(bands_.sizes.size()), !task.options.save_frames.empty()) {
        mesh.set_vae_group(static_cast<int>(bands_.sizes.size()));
        mesh.run([this](RankContext& context) { decode_on_rank(context); });
        REELMESH_CHECK(done_ == total_);
        if (!kept_.empty()) write_tensors(task_.options.save_frames, {{"frames", at::cat(kept_)}});
    }

    std::int64_t total() const { return total_; }

private:
    void decode_on_rank(RankContext& context) {
        const int rank = context.rank();
        if (rank >= static_cast<int>(bands_.sizes.size())) return; // more ranks than rows
        context.enter(Stage::Decode, -1, 0);
        context.scope().branch = context.scope().expert = -1;
        std::optional<HaloBand> band;
        if (context.vae_group()) band.emplace(*context.vae_group(), bands_.sizes);
        const VideoVae& vae = *model_.on(context.device()).vae;
        const at::Tensor rows =
            vae.denormalise(latents_.narrow(2, bands_.start(rank), bands_.size(rank)).to(context.device()));
        const std::unique_ptr<VaeDecodeRun> run = vae.start_decode(band ? &*band : nullptr);
        const std::int64_t scale = *task_.request.height / latents_.size(2), latent_frames = latents_.size(1);
        for (std::int64_t first = 0; first < latent_frames; first += kDecodeChunkFrames) {
            at::Tensor video;
            {
                const RankContext::Block block(context, static_cast<int>(first), EventWork::Vae);
                video = run->decode(
                    rows.narrow(1, first, std::min(kDecodeChunkFrames, latent_frames - first)).contiguous());
            }
            if (!at::isfinite(video).all().item<bool>())
                fail(ErrorCode::NotFinite,
                     {{"tensor",
                       "the decoded frames from " +
                           std::to_string(first == 0 ? 1 : task_.rules.frame_stride * (first - 1) + 2)}});
            if (auto chunk = assembly_.add(first, bands_.start(rank) * scale, video))
                hand_on(std::move(*chunk));
        }
    }

    void hand_on(DecodedChunk chunk) {
        FramesDecoded decoded{task_.job, done_, total_, std::move(chunk.frames)};
        done_ += static_cast<std::int64_t>(decoded.frames.size());
        if (chunk.exact.defined()) kept_.push_back(chunk.exact);
        if (writer_)
            for (const Frame& frame : decoded.frames)
                writer_->put(frame);
        hooks_.frames(std::move(decoded));
        const double share = static_cast<double>(done_) / static_cast<double>(total_);
        hooks_.progress(
            Stage::Decode, static_cast<double>(done_), static_cast<double>(total_),
            RemainingTime::decoding(share, static_cast<double>(steady_now_ns() - start_ns_) * 1e-9));
    }

    const GenerateTask& task_;
    const LoadedModel& model_;
    const at::Tensor latents_; ///< [Z,T,H,W]
    JobHooks& hooks_;
    WriteStage* writer_;
    const std::int64_t total_;
    const Parts bands_; ///< latent rows of each rank that takes part
    FrameAssembly assembly_;
    const std::int64_t start_ns_ = steady_now_ns();
    // Of the rank that completes a chunk, one after another.
    std::int64_t done_ = 0;
    std::vector<at::Tensor> kept_;
};

} // namespace

std::int64_t decode(const GenerateTask& task, const LoadedModel& model, const at::Tensor& latents,
                    MeshRunner& mesh, JobHooks& hooks, WriteStage* writer) {
    return ClipDecoder(task, model, latents, mesh, hooks, writer).total();
}

} // namespace reelmesh
