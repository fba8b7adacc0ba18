#include "pipeline/denoise_stage.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "base/check.h"
#include "models/token_layout.h"
#include "parallel/guidance_parallel.h"
#include "parallel/sequence_split.h"
#include "pipeline/preview_stage.h"
#include "pipeline/prompt_stage.h"
#include "sampling/guidance.h"
#include "sampling/noise.h"
#include "sampling/sampler.h"
#include "weights/tensor_io.h"

namespace reelmesh {
namespace {

/// What one rank keeps from step to step.
struct RankState {
    std::unique_ptr<DiffusionRun> run;
    std::vector<std::unique_ptr<Sampler>> samplers;
    std::vector<at::Tensor> latents; ///< own tokens, one a stream: the last complete step
    std::vector<at::Tensor> next;    ///< of the step being computed
    std::vector<at::Tensor> clean;   ///< estimate of the result, of the step computed last
    std::int64_t busy_ns = 0;
};

StepPoint step_point(const FamilyDescription& description, const Schedule& schedule, int step) {
    const auto index = static_cast<std::size_t>(step);
    StepPoint point{step, schedule.timesteps[index], schedule.sigmas[index], 0};
    while (point.timestep < description.experts[static_cast<std::size_t>(point.expert)].minimum_timestep)
        ++point.expert;
    return point;
}

/// One rank of those that hold the same tokens.
bool owns_slot(const MeshShape& shape, int rank) {
    return shape.coordinate(rank, Axis::Cfg) == 0 && shape.coordinate(rank, Axis::Tensor) == 0;
}

void require_finite(const at::Tensor& tensor, const std::string& name) {
    if (!at::isfinite(tensor).all().item<bool>()) fail(ErrorCode::NotFinite, {{"tensor", name}});
}

class Denoiser {
public:
    explicit Denoiser(const DenoiseInputs& inputs)
        : task_(inputs.task), description_(inputs.description),
          branches_(static_cast<int>(inputs.contexts.size())), mesh_(inputs.mesh), inputs_(inputs),
          factors_(preview_factors(inputs.task.card.vae)),
          ranks_(static_cast<std::size_t>(inputs.mesh.ranks())) {
        const std::vector<at::Tensor> start = initial_latents(task_, description_);
        mesh_.run([&](RankContext& context) {
            RankState& state = state_of(context);
            std::vector<BranchContexts> mine(inputs.contexts.size());
            context.enter(Stage::Denoise, -1, 0);
            for (const int branch : branches_of_rank(branches_, context))
                for (const at::Tensor& text : inputs.contexts[static_cast<std::size_t>(branch)])
                    mine[static_cast<std::size_t>(branch)].push_back(text.to(context.device()));
            state.run = inputs.model.on(context.device()).diffusion->prepare(description_, mine, context);
            for (std::size_t i = 0; i < start.size(); ++i) {
                const SequenceSplit split(description_.streams[i].tokens(), context);
                // A copy: what is cut off a larger tensor would keep all of it alive.
                state.latents.push_back(to_tokens(start[i], description_.streams[i].patch)
                                            .narrow(0, split.first(), split.count())
                                            .clone()
                                            .to(context.device()));
                state.samplers.push_back(make_sampler(*task_.request.sampler, task_.card.scheduler,
                                                      *task_.request.shift,
                                                      static_cast<int>(*task_.request.steps)));
            }
        });
        schedule_ = ranks_.front().samplers.front()->schedule();
    }

    const Schedule& schedule() const { return schedule_; }

    /// The last complete step of each stream, [1,C,T,H,W].
    std::vector<at::Tensor> latents() const { return whole(&RankState::latents); }
    /// What the result would look like, after at least one step.
    std::vector<at::Tensor> clean() const { return whole(&RankState::clean); }

    void step(int step) {
        const StepPoint point = step_point(description_, schedule_, step);
        const std::int64_t start_ns = steady_now_ns();
        if (task_.request.preview != "off")
            canvas_.emplace(description_.streams.front().shape, description_.streams.front().patch, factors_);
        mesh_.run([&](RankContext& context) { step_on_rank(point, context); });
        for (RankState& rank : ranks_)
            rank.latents = std::move(rank.next);
        const double seconds = static_cast<double>(steady_now_ns() - start_ns) * 1e-9;
        mesh_.step_took(seconds);
        if (canvas_) inputs_.hooks.preview(canvas_->finish(step, preview_rate()));
        report(point, seconds);
    }

private:
    /// Put together from the ranks that own the sequence slots, while no rank runs.
    std::vector<at::Tensor> whole(std::vector<at::Tensor> RankState::*member) const {
        std::vector<at::Tensor> streams;
        for (std::size_t i = 0; i < description_.streams.size(); ++i) {
            const LatentStream& stream = description_.streams[i];
            std::vector<at::Tensor> parts;
            for (int rank = 0; rank < mesh_.ranks(); ++rank)
                if (owns_slot(mesh_.shape(), rank))
                    parts.push_back((ranks_[static_cast<std::size_t>(rank)].*member)[i].cpu());
            streams.push_back(from_tokens(at::cat(parts), stream.shape, stream.patch).unsqueeze(0));
        }
        return streams;
    }

    RankState& state_of(const RankContext& context) {
        return ranks_[static_cast<std::size_t>(context.rank())];
    }

    void step_on_rank(const StepPoint& point, RankContext& context) {
        RankState& state = state_of(context);
        TelemetryEvent event;
        event.kind = EventKind::Step;
        event.step = point.step;
        event.start_ns = steady_now_ns();
        const std::int64_t waited_ns = context.waited_ns();

        int position = 0;
        auto velocities = run_branches(branches_, context, [&](int branch) {
            context.enter(Stage::Denoise, point.step, position++ * description_.blocks);
            return state.run->velocity(point, branch, state.latents, context);
        });
        const double guidance = description_.experts[static_cast<std::size_t>(point.expert)].low_noise
                                    ? task_.request.guidance2.value_or(*task_.request.guidance)
                                    : *task_.request.guidance;
        state.next.clear();
        std::vector<at::Tensor> clean;
        for (std::size_t i = 0; i < state.latents.size(); ++i) {
            const at::Tensor velocity =
                branches_ == 1 ? velocities[0][i] : guide(velocities[0][i], velocities[1][i], guidance);
            require_finite(velocity, "the velocity of " + description_.streams[i].name);
            state.next.push_back(state.samplers[i]->step(velocity, state.latents[i], point.step));
            clean.push_back(clean_estimate(velocity, state.latents[i], static_cast<float>(point.sigma)));
        }
        if (canvas_ && owns_slot(context.shape(), context.rank())) paint(clean.front(), point.step, context);
        state.clean = std::move(clean);
        event.end_ns = steady_now_ns();
        event.wait_ns = context.waited_ns() - waited_ns;
        state.busy_ns = event.end_ns - event.start_ns - event.wait_ns;
        context.writer().write(event);
    }

    void paint(const at::Tensor& clean_tokens, int step, RankContext& context) {
        TelemetryEvent event;
        event.kind = EventKind::Preview;
        event.step = step;
        event.start_ns = steady_now_ns();
        canvas_->paint(clean_tokens, SequenceSplit(description_.streams.front().tokens(), context).first());
        event.end_ns = steady_now_ns();
        context.writer().write(event);
    }

    double preview_rate() const {
        return task_.request.fps->value() / static_cast<double>(task_.rules.frame_stride);
    }

    void report(const StepPoint& point, double seconds) {
        inputs_.collector.collect();
        inputs_.remaining.step_took(seconds);
        StepDone done;
        done.job = task_.job;
        done.step = point.step;
        done.steps = static_cast<int>(*task_.request.steps);
        done.sigma = schedule_.sigmas[static_cast<std::size_t>(point.step) + 1];
        done.seconds = seconds;
        done.remaining_seconds = inputs_.remaining.seconds(point.step + 1);
        for (const RankState& rank : ranks_)
            done.rank_seconds.push_back(static_cast<double>(rank.busy_ns) * 1e-9);
        inputs_.hooks.step(done);
    }

    const GenerateTask& task_;
    const FamilyDescription& description_;
    const int branches_;
    MeshRunner& mesh_;
    const DenoiseInputs& inputs_;
    const std::optional<PreviewFactors> factors_;
    std::optional<PreviewCanvas> canvas_; ///< of the step being computed
    std::vector<RankState> ranks_;
    Schedule schedule_;
};

/// Collects what --save-steps asks for.
class StepRecord {
public:
    explicit StepRecord(const std::string& path) : path_(path) {}

    bool wanted() const { return !path_.empty(); }
    void add(int step, const at::Tensor& latents) {
        std::string number = std::to_string(step);
        if (number.size() < 2) number.insert(0, "0");
        tensors_.emplace_back("step_" + number, latents);
    }

    void write(const Schedule& schedule) {
        if (path_.empty()) return;
        const at::Tensor timesteps = at::tensor(schedule.timesteps, at::kDouble);
        const bool whole = timesteps.eq(timesteps.floor()).all().item<bool>();
        tensors_.emplace_back("timesteps", timesteps.to(whole ? at::kLong : at::kFloat));
        tensors_.emplace_back("sigmas", at::tensor(schedule.sigmas, at::kFloat));
        write_tensors(path_, tensors_);
    }

private:
    std::string path_;
    std::vector<std::pair<std::string, at::Tensor>> tensors_;
};

} // namespace

std::vector<at::Tensor> initial_latents(const GenerateTask& task, const FamilyDescription& description) {
    if (!task.options.initial_latents.empty()) {
        std::vector<std::int64_t> shape = description.streams.front().shape;
        shape.insert(shape.begin(), 1);
        return {read_tensor(task.options.initial_latents, "latents", shape).squeeze(0)};
    }
    std::vector<at::Tensor> latents;
    // Streams lie one behind the other in the seed's noise.
    std::uint64_t first = 0;
    for (const LatentStream& stream : description.streams) {
        const std::int64_t count = stream.tokens() * stream.token_width();
        latents.push_back(
            noise_slice(*task.request.seed, NoisePurpose::Initial, 0, first, count).view(stream.shape));
        first += static_cast<std::uint64_t>(count);
    }
    return latents;
}

void denoise(const DenoiseInputs& inputs, DenoiseResult& result) {
    Denoiser denoiser(inputs);
    StepRecord record(inputs.task.options.save_steps);
    const int steps = static_cast<int>(*inputs.task.request.steps);
    try {
        while (result.steps_done < steps && inputs.hooks.before_step() == NextStep::Continue) {
            denoiser.step(result.steps_done);
            if (record.wanted()) record.add(result.steps_done, denoiser.latents().front());
            ++result.steps_done;
        }
    } catch (...) {
        try {
            result.latents = denoiser.latents();
        } catch (...) {
            // A device that failed gives nothing any more; why it did is what counts.
        }
        throw;
    }
    // Stopped before the first step there is nothing to decode.
    if (result.steps_done == 0) fail(ErrorCode::Canceled);
    result.latents = result.steps_done == steps ? denoiser.latents() : denoiser.clean();
    record.write(denoiser.schedule());
}

} // namespace reelmesh
