#include "pipeline/planner.h"

#include <algorithm>

#include "base/check.h"
#include "ops/fixed_tiles.h"
#include "pipeline/decode_stage.h"
#include "pipeline/loaded_model.h"
#include "pipeline/prompt_stage.h"
#include "request/mesh_rules.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;
/// What the libraries take once they compute: kernels' scratch, thread stacks, lazily bound code. Measured
/// with the smallest models; it does not grow with the job.
constexpr std::uint64_t kLibraryBytes = 48 * kMiB;
constexpr std::uint64_t kBytesPerThread = 4 * kMiB;
constexpr std::int64_t kEncoderFrames = 60; ///< that the H.264 encoder holds at most

/// The mesh that was asked for, or all of this build.
std::vector<std::string> candidates(const JobRequest& request) {
    if (request.mesh != "auto" || request.ranks > 0) return {mesh_text(chosen_mesh(request))};
    return {"single", "cfg2"};
}

/// A device that was asked for and is not here; never replaced silently.
std::optional<Error> device_fault(const JobRequest& request, const HardwareSnapshot& hardware) {
    std::vector<std::string> present;
    for (const DeviceSummary& device : hardware.devices)
        present.push_back(device.id);
    for (const std::string& asked : request.devices)
        if (std::find(present.begin(), present.end(), asked) == present.end())
            return make_error(ErrorCode::BadField,
                              {{"field", std::string("device")},
                               {"found", asked},
                               {"needed", "a device of this machine (" + hardware.no_gpu_reason + ")"},
                               {"nearest", present}});
    return std::nullopt;
}

std::optional<Error> refusal_of(const std::string& mesh, const PlanInputs& inputs) {
    JobRequest request = inputs.request;
    request.mesh = mesh;
    const std::vector<Error> faults = mesh_faults(request);
    if (!faults.empty()) return faults.front();
    if (const auto fault = device_fault(request, inputs.hardware)) return fault;
    return ranks_fault(parse_mesh(mesh).ranks(), inputs.hardware);
}

/// Elements of the widest intermediate of the text encoder, several of which live at once.
std::uint64_t text_bytes(const T5Config& config, std::int64_t tokens, std::size_t element_bytes) {
    const std::int64_t width = 4 * config.d_model + 3 * config.num_heads * config.d_kv + 3 * config.d_ff;
    const std::int64_t scores = 3 * config.num_heads * tokens;
    return static_cast<std::uint64_t>(tokens * (width + scores)) * element_bytes;
}

MemoryEstimate memory_of(const MeshShape& shape, int branches, const FamilyDescription& description,
                         at::ScalarType dtype, const PlanInputs& inputs) {
    const LatentStream& stream = description.streams.front();
    const auto ranks = static_cast<std::uint64_t>(shape.ranks());
    const auto branch_count = static_cast<std::uint64_t>(branches);
    const auto latent_bytes =
        static_cast<std::uint64_t>(stream.tokens() * stream.token_width()) * sizeof(float);
    const auto frame_pixels = static_cast<std::uint64_t>(*inputs.request.width) *
                              static_cast<std::uint64_t>(*inputs.request.height);
    const int threads = inputs.threads > 0 ? inputs.threads : inputs.hardware.cores;

    MemoryEstimate memory;
    memory.base =
        inputs.hardware.process_bytes + kLibraryBytes + kBytesPerThread * static_cast<std::uint64_t>(threads);
    memory.weights = weight_bytes(inputs.card, dtype);
    memory.text = ranks * text_bytes(inputs.card.text_encoder, inputs.rules.text_tokens, sizeof(float));
    // Threads of one rank work on row blocks of their own.
    const auto& transformer = inputs.card.transformer;
    const auto row_block_bytes =
        static_cast<std::uint64_t>(ops::kRowBlock * (transformer.ffn_dim + 4 * transformer.width())) *
        sizeof(float);
    // Each rank keeps latents, solver history and its branches' contexts; one forward runs on each at a time.
    memory.denoise =
        branch_count * description.cost.context_bytes + ranks * description.cost.activation_bytes +
        static_cast<std::uint64_t>(threads) * row_block_bytes + ranks * (8 + 2 * branch_count) * latent_bytes;
    memory.decode =
        vae_decode_bytes(inputs.card.vae, kDecodeChunkFrames, stream.shape[2], stream.shape[3], threads) +
        4 * latent_bytes + frame_pixels * (12 + 3) * static_cast<std::uint64_t>(inputs.rules.frame_stride);
    // Queued pictures, and the encoder's look-ahead: each frame with its interpolated and halved planes.
    const auto encoder_frames =
        static_cast<std::uint64_t>(std::min<std::int64_t>(kEncoderFrames, *inputs.request.frames));
    memory.write = frame_pixels * (16 * 3 + encoder_frames * 7);
    return memory;
}

} // namespace

JobRequest complete_request(const JobRequest& request, const FamilyRules& rules) {
    JobRequest complete = with_defaults(request, rules);
    const std::vector<Error> faults = validate(complete, rules);
    if (!faults.empty()) throw EngineException(faults.front());
    return complete;
}

std::optional<Error> ranks_fault(int ranks, const HardwareSnapshot& hardware) {
    if (ranks <= hardware.cores) return std::nullopt;
    return make_error(ErrorCode::MeshTooLarge, {{"found", std::int64_t{ranks}},
                                                {"needed", "at most " + std::to_string(hardware.cores)},
                                                {"nearest", std::string("single")}});
}

PlanSet make_plans(const PlanInputs& inputs) {
    const Family& family = find_family(inputs.rules.family);
    const FamilyDescription description = family.describe(inputs.card, inputs.request);
    const int branches = guidance_branches(inputs.request, description);
    const at::ScalarType dtype = resolve_dtype(inputs.request.dtype, inputs.card, inputs.hardware);
    const LatentStream& stream = description.streams.front();

    PlanSet set;
    set.tokens = stream.tokens();
    set.latent_frames = stream.shape[1];
    set.latent_height = stream.shape[2];
    set.latent_width = stream.shape[3];
    set.dtype = dtype_name(dtype);
    for (const std::string& mesh : candidates(inputs.request)) {
        const MeshShape shape = parse_mesh(mesh);
        Plan plan;
        plan.mesh = mesh;
        plan.ranks = shape.ranks();
        plan.devices.assign(static_cast<std::size_t>(plan.ranks), "cpu");
        plan.forwards_per_step = branches / std::min(branches, shape.degree(Axis::Cfg));
        plan.memory = memory_of(shape, branches, description, dtype, inputs);
        if (shape.degree(Axis::Cfg) > 1)
            plan.bytes_per_step = static_cast<std::uint64_t>(stream.tokens() * stream.token_width()) *
                                  sizeof(float) * static_cast<std::uint64_t>(shape.degree(Axis::Cfg) - 1);
        plan.refusal = refusal_of(mesh, inputs);
        const std::uint64_t needed = plan.memory.peak() - inputs.hardware.process_bytes;
        if (!plan.refusal && needed > inputs.hardware.available_bytes)
            plan.refusal = make_error(ErrorCode::MemoryTooSmall,
                                      {{"needed_bytes", needed},
                                       {"free_bytes", inputs.hardware.available_bytes},
                                       {"remedies", std::string("a smaller size, fewer frames")}});
        set.plans.push_back(std::move(plan));
    }
    std::stable_partition(set.plans.begin(), set.plans.end(), [](const Plan& plan) { return !plan.refusal; });
    return set;
}

const Plan& chosen_plan(const PlanSet& plans) {
    REELMESH_CHECK(!plans.plans.empty());
    if (plans.plans.front().refusal) throw EngineException(*plans.plans.front().refusal);
    return plans.plans.front();
}

} // namespace reelmesh
