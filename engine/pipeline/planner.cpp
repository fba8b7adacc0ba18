#include "pipeline/planner.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/check.h"
#include "pipeline/communication.h"
#include "pipeline/cost_model.h"
#include "pipeline/device_order.h"
#include "pipeline/loaded_model.h"
#include "pipeline/memory_model.h"
#include "pipeline/plan_ranking.h"
#include "pipeline/plan_subject.h"
#include "pipeline/usable_devices.h"
#include "request/mesh_rules.h"

namespace reelmesh {
namespace {

constexpr int kLeastCpuRanks = 8;
/// Of a card's free bytes: allocators cannot use the last of them.
constexpr double kUsableShare = 0.92;
/// Where the list of all meshes ends; a mesh that is asked for may be larger.
constexpr int kMostListedRanks = 64;
constexpr double kDoesNotFit = 1e12;
constexpr int kPipeWarmUp = 1;

/// " (...)": why a device is not among the usable ones, where that is known.
std::string why_not(const std::string& asked, const HardwareSnapshot& hardware) {
    for (const std::string& notice : hardware.gpu_notices)
        if (notice.starts_with(asked + " ")) return " (" + notice + ")";
    return hardware.no_gpu_reason.empty() ? "" : " (" + hardware.no_gpu_reason + ")";
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
                               {"needed", "a device of this machine" + why_not(asked, hardware)},
                               {"nearest", present}});
    const auto on_cpu = std::count(request.devices.begin(), request.devices.end(), "cpu");
    if (on_cpu > 0 && on_cpu < static_cast<std::ptrdiff_t>(request.devices.size()))
        return make_error(ErrorCode::BadField, {{"field", std::string("device")},
                                                {"found", std::string("cpu beside GPUs")},
                                                {"needed", std::string("devices of one kind")},
                                                {"nearest", present}});
    return std::nullopt;
}

/// The snapshot with the usable devices alone, so that indices are those of the plan.
HardwareSnapshot narrowed(const HardwareSnapshot& hardware, const std::vector<int>& usable) {
    HardwareSnapshot narrow = hardware;
    narrow.devices.clear();
    narrow.links.clear();
    for (const int index : usable)
        narrow.devices.push_back(hardware.devices[static_cast<std::size_t>(index)]);
    // A device that is named twice is linked to itself by its own memory: read and written.
    for (int from = 0; from < static_cast<int>(usable.size()); ++from)
        for (int to = 0; to < static_cast<int>(usable.size()); ++to) {
            const int source = usable[static_cast<std::size_t>(from)],
                      reader = usable[static_cast<std::size_t>(to)];
            if (source == reader && from != to) {
                const DeviceRates& rates = hardware.devices[static_cast<std::size_t>(source)].rates;
                narrow.links.push_back({from, to, "memory", rates.memory_bytes_per_s / 2, rates.launch_s});
            }
            for (LinkSummary link : hardware.links) {
                if (link.from != source || link.to != reader) continue;
                link.from = from;
                link.to = to;
                narrow.links.push_back(link);
            }
        }
    return narrow;
}

std::optional<Error> too_many_ranks(int ranks, int most) {
    if (ranks <= most) return std::nullopt;
    return make_error(ErrorCode::MeshTooLarge, {{"found", std::int64_t{ranks}},
                                                {"needed", "at most " + std::to_string(most)},
                                                {"nearest", std::string("single")}});
}

/// Every way to write the number as a product of degrees, legal or not, but for the data axis and more than
/// twice the guidance branches.
std::vector<MeshShape> factorisations(int ranks) {
    constexpr Axis kFactors[] = {Axis::Ulysses, Axis::Ring, Axis::Tensor, Axis::Pipe};
    std::vector<MeshShape> shapes;
    MeshShape shape;
    const auto extend = [&](const auto& self, std::size_t index, int left) -> void {
        int& degree = shape.degrees[static_cast<std::size_t>(kFactors[index])];
        if (index + 1 == std::size(kFactors)) {
            degree = left;
            shapes.push_back(shape);
            degree = 1;
            return;
        }
        for (degree = left; degree > 1; --degree)
            if (left % degree == 0) self(self, index + 1, left / degree);
        self(self, index + 1, left);
    };
    for (int& cfg = shape.degrees[static_cast<std::size_t>(Axis::Cfg)] = 2; cfg >= 1; --cfg)
        if (ranks % cfg == 0) extend(extend, 0, ranks / cfg);
    return shapes;
}

class Planner {
public:
    Planner(const PlanSubject& subject, const HardwareSnapshot& hardware, int threads)
        : subject_(subject), absent_(device_fault(subject.request, hardware)),
          hardware_(narrowed(hardware, usable_devices(subject.request, hardware))),
          threads_(threads > 0 ? threads : hardware.cores), most_(reelmesh::most_ranks(hardware_)),
          limits_(mesh_limits(subject.request, subject.rules)), costs_(subject, hardware_) {}

    PlanSet plans() const {
        PlanSet set;
        set.tokens = subject_.image_tokens;
        set.latent_frames = subject_.latent_frames;
        set.latent_height = subject_.latent_height;
        set.latent_width = subject_.latent_width;
        set.dtype = dtype_name(subject_.dtype);
        set.family = subject_.rules.preset;
        set.hardware = hardware_.preset;
        set.basis = hardware_.devices.front().rates.basis;
        if (subject_.request.mesh == "auto" && subject_.request.ranks > most_) {
            Plan plan;
            plan.mesh = "auto";
            plan.ranks = subject_.request.ranks;
            plan.refusal = too_many_ranks(plan.ranks, most_);
            set.plans.push_back(std::move(plan));
            return set;
        }
        for (const MeshShape& shape : candidates())
            set.plans.push_back(plan(shape));
        rank_plans(set.plans);
        return set;
    }

private:
    bool on_cpu() const { return is_cpu(hardware_.devices.front()); }

    std::vector<MeshShape> candidates() const {
        const JobRequest& request = subject_.request;
        if (request.mesh != "auto") return {parse_mesh(request.mesh)};
        std::vector<MeshShape> shapes;
        const int first = request.ranks > 0 ? request.ranks : 1;
        const int last = request.ranks > 0 ? request.ranks : std::min(most_, kMostListedRanks);
        for (int ranks = first; ranks <= last; ++ranks)
            for (const MeshShape& shape : factorisations(ranks))
                shapes.push_back(shape);
        return shapes;
    }

    Plan plan(const MeshShape& shape) const {
        Plan plan;
        plan.mesh = mesh_text(shape);
        plan.ranks = shape.ranks();
        const std::vector<Error> faults = shape_faults(shape, limits_);
        if (!faults.empty())
            plan.refusal = faults.front();
        else if (absent_)
            plan.refusal = absent_;
        else
            plan.refusal = too_many_ranks(plan.ranks, most_);
        const bool priced = !plan.refusal || plan.refusal->code == ErrorCode::MeshNotInBuild ||
                            plan.refusal->code == ErrorCode::BadField;
        if (priced && plan.ranks <= most_) price(shape, plan);
        return plan;
    }

    /// Of one replica: ranks of the data axis repeat them for other jobs.
    static MeshShape without(MeshShape shape, Axis axis) {
        shape.degrees[static_cast<std::size_t>(axis)] = 1;
        return shape;
    }

    void price(const MeshShape& asked, Plan& plan) const {
        // Stages split layers, not work inside of them: a staged mesh is priced as its rest, then by 3.6's
        // time.
        const MeshShape replica = without(asked, Axis::Data);
        const MeshShape shape = without(replica, Axis::Pipe);
        const std::vector<int> order = device_order(shape);
        plan.weights = costs_.slot_weights(shape, order);
        const WorkSplit split = split_work(subject_.shape, subject_.image_tokens, shape, plan.weights);
        const int cfg = shape.degree(Axis::Cfg);
        plan.forwards_per_step = (subject_.branches + cfg - 1) / cfg;
        const std::vector<int> all = with_repeats(order, asked.ranks());
        add_ranks(asked, split, all, plan);
        add_memory(split, all, plan);
        add_costs(replica, split, order, plan);
        add_warnings(asked, plan);
    }

    std::vector<int> device_order(const MeshShape& shape) const {
        const int ranks = shape.ranks();
        if (on_cpu()) return std::vector<int>(static_cast<std::size_t>(ranks), 0);
        OrderRequest request;
        request.ranks = ranks;
        request.devices = static_cast<int>(hardware_.devices.size());
        request.interchangeable = [this](int one, int other) { return costs_.interchangeable(one, other); };
        request.seconds = [&](const std::vector<int>& order) {
            const WorkSplit split =
                split_work(subject_.shape, subject_.image_tokens, shape, costs_.slot_weights(shape, order));
            double seconds = costs_.step(split, order).seconds;
            if (!is_uniform_)
                for (int rank = 0; rank < ranks; ++rank)
                    if (static_cast<double>(device_memory(subject_, split, rank, 1, blocks()).peak()) >
                        usable_bytes(rank, order))
                        seconds += kDoesNotFit;
            return seconds;
        };
        return best_device_order(request);
    }

    /// Other replicas and stages take the devices that are left, in their order.
    std::vector<int> with_repeats(std::vector<int> order, int ranks) const {
        if (on_cpu()) order.resize(at(ranks), 0);
        for (int device = 0; static_cast<int>(order.size()) < ranks; ++device)
            if (std::find(order.begin(), order.end(), device) == order.end()) order.push_back(device);
        return order;
    }

    void add_ranks(const MeshShape& asked, const WorkSplit& split, const std::vector<int>& order,
                   Plan& plan) const {
        const int replica = split.mesh.ranks();
        for (int rank = 0; rank < asked.ranks(); ++rank) {
            const DeviceSummary& device = hardware_.devices[static_cast<std::size_t>(order[at(rank)])];
            plan.devices.push_back(device.id);
            plan.shares.push_back({device.id, split.own(rank % replica), split.own_heads(rank % replica), 0});
        }
    }

    /// This machine's ranks view their share of the whole model.
    BlockWeights blocks() const {
        return hardware_.preset.empty() ? BlockWeights::Whole : BlockWeights::Share;
    }

    static std::size_t at(int index) { return static_cast<std::size_t>(index); }

    /// What is usable of a rank's device.
    double usable_bytes(int rank, const std::vector<int>& order) const {
        return kUsableShare * static_cast<double>(hardware_.devices[at(order[at(rank)])].free_bytes);
    }

    void refuse_memory(Plan& plan, std::uint64_t needed, std::uint64_t free,
                       const std::string& device) const {
        if (plan.refusal) return;
        plan.refusal = make_error(ErrorCode::MemoryTooSmall,
                                  {{"needed_bytes", needed},
                                   {"free_bytes", free},
                                   {"device", device},
                                   {"remedies", std::string("a smaller size, fewer frames, more ranks")}});
        if (on_cpu()) plan.refusal->arguments.back().value = std::string("a smaller size, fewer frames");
    }

    void add_memory(const WorkSplit& split, const std::vector<int>& order, Plan& plan) const {
        if (on_cpu()) {
            plan.memory = process_memory(subject_, split, hardware_, threads_, plan.shares);
            const std::uint64_t needed = plan.memory.peak() - hardware_.process_bytes;
            if (needed > hardware_.available_bytes)
                refuse_memory(plan, needed, hardware_.available_bytes, "cpu");
            return;
        }
        const int stages = parse_mesh(plan.mesh).degree(Axis::Pipe);
        std::map<std::string, std::uint64_t> on_card;
        for (int rank = 0; rank < plan.ranks; ++rank) {
            const MemoryEstimate memory =
                device_memory(subject_, split, rank % split.mesh.ranks(), stages, blocks());
            plan.shares[at(rank)].peak_bytes = memory.peak();
            if (memory.peak() > plan.memory.peak()) plan.memory = memory;
            // Ranks that share a card share its weights and the libraries.
            std::uint64_t& card = on_card[plan.devices[at(rank)]];
            card += card == 0 ? memory.peak() : memory.peak() - memory.base - memory.weights;
            if (static_cast<double>(card) > usable_bytes(rank, order))
                refuse_memory(plan, card, static_cast<std::uint64_t>(usable_bytes(rank, order)),
                              plan.devices[at(rank)]);
        }
    }

    /// Bytes of an axis that a rank sends in a step, and once a job.
    std::uint64_t step_bytes(Axis axis, const WorkSplit& split, int rank, int forwards) const {
        const auto times = static_cast<std::uint64_t>(forwards);
        const std::uint64_t layers = times * static_cast<std::uint64_t>(subject_.shape.layers);
        const int e = subject_.element_bytes;
        switch (axis) {
        case Axis::Tensor:
            return times * (tensor_forward_bytes(subject_.shape, split, rank, e) +
                            tensor_norm_forward_bytes(subject_.shape, split, rank));
        case Axis::Ulysses: return layers * ulysses_layer_bytes(subject_.shape, split, rank, e);
        case Axis::Ring: return layers * ring_layer_bytes(subject_.shape, split, rank, e);
        case Axis::Cfg: return guidance_step_bytes(split, rank, subject_.token_features);
        case Axis::Pipe:
        case Axis::Data: return 0;
        }
        return 0;
    }

    std::uint64_t job_bytes(Axis axis, const WorkSplit& split, int rank, int forwards) const {
        if (axis != Axis::Tensor) return 0;
        return static_cast<std::uint64_t>(forwards * subject_.experts) *
               tensor_context_bytes(subject_.shape, split, rank);
    }

    AxisCost axis_cost(Axis axis, const WorkSplit& split, int forwards, double exposed) const {
        AxisCost cost;
        cost.axis = axis_name(axis);
        cost.seconds_per_step = exposed;
        const auto steps = static_cast<std::uint64_t>(*subject_.request.steps);
        for (int rank = 0; rank < split.mesh.ranks(); ++rank) {
            const std::uint64_t bytes = step_bytes(axis, split, rank, forwards);
            cost.bytes_per_step = std::max(cost.bytes_per_step, bytes);
            cost.total_bytes += steps * bytes + job_bytes(axis, split, rank, forwards);
        }
        return cost;
    }

    /// Of a stage border and of the last stage's way back to the first one.
    AxisCost pipe_cost(int stages, const WorkSplit& split, int forwards) const {
        AxisCost cost;
        cost.axis = axis_name(Axis::Pipe);
        const auto steps = static_cast<std::uint64_t>(*subject_.request.steps);
        const std::uint64_t border = static_cast<std::uint64_t>(forwards) *
                                     pipe_border_bytes(subject_.shape, split.own(0), subject_.element_bytes);
        const std::uint64_t latents =
            4 * static_cast<std::uint64_t>(split.own_image(0) * subject_.token_features);
        cost.bytes_per_step = std::max(border, latents);
        cost.total_bytes = steps * static_cast<std::uint64_t>(split.mesh.ranks()) *
                           (static_cast<std::uint64_t>(stages - 1) * border + latents);
        return cost;
    }

    void add_costs(const MeshShape& replica, const WorkSplit& split, const std::vector<int>& order,
                   Plan& plan) const {
        const StepCost cost = costs_.step(split, order);
        const int steps = static_cast<int>(*subject_.request.steps);
        const int stages = replica.degree(Axis::Pipe);
        plan.step_seconds = cost.seconds;
        for (const Axis axis : {Axis::Cfg, Axis::Ulysses, Axis::Ring, Axis::Tensor})
            if (split.mesh.degree(axis) > 1)
                plan.axes.push_back(axis_cost(axis, split, plan.forwards_per_step, cost.exposed_by(axis)));
        if (stages > 1) {
            plan.axes.push_back(pipe_cost(stages, split, plan.forwards_per_step));
            plan.exact = false;
            plan.step_seconds =
                pipe_seconds(cost.seconds, steps, stages, stages, std::min(kPipeWarmUp, steps)) / steps;
        }
        for (const AxisCost& axis : plan.axes)
            plan.bytes_per_step += axis.bytes_per_step;
        add_decode(split, order, plan);
        plan.text_seconds = costs_.text_seconds(order);
        plan.total_seconds = plan.text_seconds + steps * plan.step_seconds + plan.decode_seconds;
    }

    void add_decode(const WorkSplit& split, const std::vector<int>& order, Plan& plan) const {
        std::optional<VaeTraffic> traffic;
        if (subject_.vae && split.mesh.ranks() > 1)
            traffic = vae_traffic(*subject_.vae, subject_.latent_frames, subject_.latent_height,
                                  subject_.latent_width, split.mesh.ranks());
        const CostModel::Decode decode = costs_.decode(traffic ? &*traffic : nullptr, order);
        plan.decode_seconds = decode.seconds;
        plan.bands = decode_bands(traffic ? traffic->rows : std::vector{subject_.latent_height});
        if (!traffic || traffic->bands == 1) return;
        AxisCost cost;
        cost.axis = "vae";
        cost.seconds_per_step = decode.exposed;
        cost.total_bytes = traffic->total_bytes();
        for (int band = 0; band < traffic->bands; ++band)
            cost.bytes_per_step = std::max(cost.bytes_per_step, traffic->rank_bytes(band));
        plan.axes.push_back(std::move(cost));
    }

    /// latent_rows: of each band, top to bottom.
    std::vector<DecodeBand> decode_bands(const std::vector<std::int64_t>& latent_rows) const {
        const std::int64_t pixels = *subject_.request.height / subject_.latent_height;
        std::vector<DecodeBand> bands;
        std::int64_t first = 0;
        for (const std::int64_t rows : latent_rows) {
            bands.push_back({static_cast<int>(bands.size()), first * pixels, rows * pixels});
            first += rows;
        }
        return bands;
    }

    /// Where two GPUs of a replica exchange through the host.
    void add_staged_warning(int replica_ranks, Plan& plan) const {
        const auto replica_of = [&](int index) {
            const std::string& id = hardware_.devices[static_cast<std::size_t>(index)].id;
            const auto found = std::find(plan.devices.begin(), plan.devices.end(), id);
            return found == plan.devices.end()
                       ? -1
                       : static_cast<int>(found - plan.devices.begin()) / replica_ranks;
        };
        for (const LinkSummary& link : hardware_.links) {
            const int replica = replica_of(link.from);
            if (link.kind != "staged" || replica < 0 || replica != replica_of(link.to)) continue;
            plan.warnings.push_back(hardware_.devices[static_cast<std::size_t>(link.from)].id + " and " +
                                    hardware_.devices[static_cast<std::size_t>(link.to)].id +
                                    " exchange through the host's memory");
            return;
        }
    }

    void add_warnings(const MeshShape& asked, Plan& plan) const {
        plan.uneven = !has_even_heads(asked, limits_);
        const int tensor = asked.degree(Axis::Tensor);
        if (plan.uneven)
            plan.warnings.push_back("uneven heads: " + std::to_string(limits_.heads / tensor) + " over " +
                                    std::to_string(asked.degree(Axis::Ulysses)));
        if (on_cpu() && plan.ranks > hardware_.cores)
            plan.warnings.push_back(std::to_string(plan.ranks) + " ranks share " +
                                    std::to_string(hardware_.cores) +
                                    (hardware_.cores == 1 ? " core" : " cores"));
        add_staged_warning(plan.ranks / asked.degree(Axis::Data), plan);
        const int idle = static_cast<int>(hardware_.devices.size()) - plan.ranks;
        if (!on_cpu() && idle > 0)
            plan.warnings.push_back(std::to_string(idle) + " of " + std::to_string(hardware_.devices.size()) +
                                    (idle == 1 ? " devices stays idle" : " devices stay idle"));
    }

    const PlanSubject& subject_;
    const std::optional<Error> absent_;
    const HardwareSnapshot hardware_;
    const int threads_, most_;
    const MeshLimits limits_;
    const CostModel costs_;
    const bool is_uniform_ =
        std::all_of(hardware_.devices.begin(), hardware_.devices.end(), [this](const DeviceSummary& device) {
            return device.free_bytes == hardware_.devices.front().free_bytes;
        });
};

} // namespace

JobRequest complete_request(const JobRequest& request, const FamilyRules& rules) {
    JobRequest complete = with_defaults(request, rules);
    const std::vector<Error> faults = validate(complete, rules);
    if (!faults.empty()) throw EngineException(faults.front());
    return complete;
}

int most_ranks(const HardwareSnapshot& hardware) {
    const auto gpus = std::count_if(hardware.devices.begin(), hardware.devices.end(),
                                    [](const DeviceSummary& device) { return !is_cpu(device); });
    return gpus > 0 ? static_cast<int>(gpus) : std::max(kLeastCpuRanks, hardware.cores);
}

std::optional<Error> ranks_fault(const JobRequest& request, const HardwareSnapshot& hardware) {
    return too_many_ranks(request.ranks, most_ranks(narrowed(hardware, usable_devices(request, hardware))));
}

PlanSet make_plans(const PlanInputs& inputs) {
    const PlanSubject subject = plan_subject(inputs.card, inputs.rules, inputs.request, inputs.hardware);
    return Planner(subject, inputs.hardware, inputs.threads).plans();
}

PlanSet make_plans(const ModelPreset& preset, const JobRequest& request, const HardwareSnapshot& hardware) {
    const PlanSubject subject = plan_subject(preset, request, hardware);
    return Planner(subject, hardware, 0).plans();
}

const Plan& chosen_plan(const PlanSet& plans) {
    REELMESH_CHECK(!plans.plans.empty());
    if (plans.plans.front().refusal) throw EngineException(*plans.plans.front().refusal);
    return plans.plans.front();
}

} // namespace reelmesh
