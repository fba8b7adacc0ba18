// Plans, machines and events for the tests of the mesh panel, made by hand, and an engine that plans with
// them.
#pragma once

#include <future>
#include <mutex>

#include "app_fixture.h"
#include "models/mesh_degrees.h"
#include "models/running_job.h"

namespace reelmesh {

inline constexpr std::uint64_t kGiBytes = 1ull << 30;

inline HardwareSnapshot eightGpus() {
    HardwareSnapshot hardware;
    hardware.cores = 64;
    hardware.total_bytes = 512 * kGiBytes;
    for (int i = 0; i < 8; ++i) {
        DeviceSummary device;
        device.id = "cuda:" + std::to_string(i);
        device.name = "H100 80GB";
        device.total_bytes = device.free_bytes = 80 * kGiBytes;
        hardware.devices.push_back(device);
        for (int other = 0; other < i; ++other)
            hardware.links.push_back({i, other, "nvlink", 450e9, 1e-6});
    }
    return hardware;
}

inline HardwareSnapshot twoCores() {
    HardwareSnapshot hardware;
    hardware.cores = 2;
    hardware.total_bytes = 8 * kGiBytes;
    DeviceSummary cpu;
    cpu.id = "cpu";
    cpu.name = "a processor";
    hardware.devices.push_back(cpu);
    hardware.no_gpu_reason = "libcuda.so.1 was not found: no NVIDIA driver is installed.";
    return hardware;
}

/// With figures as the planner would give for the mesh; device: "cuda" or "cpu".
inline Plan planOf(const std::string& mesh, double stepSeconds, const std::string& device = "cuda") {
    const MeshDegrees degrees = *MeshDegrees::parse(QString::fromStdString(mesh));
    Plan plan;
    plan.mesh = mesh;
    plan.ranks = degrees.ranks();
    plan.step_seconds = stepSeconds;
    plan.total_seconds = 40 * stepSeconds + 3;
    plan.memory.weights = device == "cpu" ? kGiBytes / 8 : 26 * kGiBytes;
    plan.memory.denoise = device == "cpu" ? kGiBytes / 6 : 8 * kGiBytes;
    for (int rank = 0; rank < plan.ranks; ++rank) {
        plan.devices.push_back(device == "cpu" ? "cpu" : device + ":" + std::to_string(rank));
        plan.shares.push_back({plan.devices.back(), 8190, 10, 34 * kGiBytes});
        plan.bands.push_back({rank, 60 * rank, 60});
    }
    const struct {
        MeshAxis axis;
        std::uint64_t bytes;
    } axes[] = {{MeshAxis::Cfg, 2096640},
                {MeshAxis::Ulysses, 10063872000},
                {MeshAxis::Ring, 6710000000},
                {MeshAxis::Tp, 26840000000}};
    for (const auto& axis : axes) {
        if (degrees.degree(axis.axis) == 1) continue;
        plan.axes.push_back(
            {exchange_group_name(exchangeGroup(axis.axis)), axis.bytes, axis.bytes * 320, 0.02});
        plan.bytes_per_step += axis.bytes;
    }
    return plan;
}

inline Error illegalMesh(const std::string& mesh, const std::string& axis, int found,
                         const std::string& needed, std::vector<std::string> nearest) {
    Error error = errorWith(ErrorCode::MeshIllegal);
    error.arguments = {{"mesh", mesh},
                       {"axis", axis},
                       {"found", std::int64_t{found}},
                       {"needed", needed},
                       {"nearest", std::move(nearest)}};
    return error;
}

inline Plan refusedPlan(const std::string& mesh, const Error& error) {
    Plan plan;
    plan.mesh = mesh;
    plan.ranks = MeshDegrees::parse(QString::fromStdString(mesh))->ranks();
    plan.refusal = error;
    return plan;
}

inline PlanSet eightGpuPlans() {
    PlanSet set;
    set.basis = "preset";
    set.family = "wan2.1-t2v-14b";
    set.tokens = 32760;
    for (const auto& [mesh, seconds] : {std::pair{"cfg2,ulysses4", 0.94},
                                        {"cfg2,ulysses2,ring2", 0.95},
                                        {"ulysses8", 0.99},
                                        {"cfg2,ulysses3", 1.28},
                                        {"ulysses4", 1.88},
                                        {"cfg2,ulysses2", 1.86},
                                        {"cfg2", 3.6},
                                        {"ulysses2", 3.7},
                                        {"single", 7.2}})
        set.plans.push_back(planOf(mesh, seconds));
    set.plans[3].uneven = true;
    set.plans.push_back(
        refusedPlan("tp5", illegalMesh("tp5", "tp", 5, "a divisor of the feed-forward width 13824",
                                       {"ulysses5", "ring5", "tp4"})));
    Error pipe = errorWith(ErrorCode::MeshNotInBuild);
    pipe.arguments = {{"mesh", std::string("pipe2")},
                      {"axis", std::string("pipe")},
                      {"nearest", std::vector<std::string>{"cfg2", "ulysses2"}}};
    set.plans.push_back(refusedPlan("pipe2", pipe));
    return set;
}

inline PlanSet twoCorePlans() {
    PlanSet set;
    set.basis = "assumed";
    for (const auto& [mesh, seconds] : {std::pair{"single", 0.2}, {"cfg2", 0.21}, {"ulysses2", 0.23}})
        set.plans.push_back(planOf(mesh, seconds, "cpu"));
    return set;
}

inline PlanSet only(const Plan& plan, const PlanSet& of) {
    PlanSet set = of;
    set.plans = {plan};
    return set;
}

inline RunningJob runningJob(const Plan& plan, JobId id = 1) {
    RunningJob job;
    job.id = id;
    job.plan = plan;
    job.request.mesh = plan.mesh;
    return job;
}

inline TelemetryEvent eventOf(EventKind kind, int rank, int step, double begin_s, double end_s) {
    TelemetryEvent event;
    event.kind = kind;
    event.rank = static_cast<std::int16_t>(rank);
    event.step = step;
    event.start_ns = static_cast<std::int64_t>(begin_s * 1e9);
    event.end_ns = static_cast<std::int64_t>(end_s * 1e9);
    return event;
}

inline TelemetryEvent blockOf(EventWork work, int rank, int step, double begin_s, double end_s) {
    TelemetryEvent event = eventOf(EventKind::Block, rank, step, begin_s, end_s);
    event.work = work;
    return event;
}

inline TelemetryEvent exchangeOf(ExchangeGroup group, int firstRank, int rank, int step, double seconds,
                                 double wait_s, std::uint64_t bytes) {
    TelemetryEvent event = eventOf(EventKind::Exchange, rank, step, 0, seconds);
    event.group = group;
    event.first_rank = static_cast<std::int16_t>(firstRank);
    event.wait_ns = static_cast<std::int64_t>(wait_s * 1e9);
    event.bytes = bytes;
    return event;
}

/// A step of a mesh cfg2,ulysses4 as its ranks tell it, rank 5 the slowest; then the ranks are in different
/// states.
inline std::vector<TelemetryEvent> stepOfEight(int step) {
    std::vector<TelemetryEvent> events;
    for (int rank = 0; rank < 8; ++rank) {
        const double own = rank == 5 ? 0.95 : 0.92 + 0.001 * (rank % 4);
        TelemetryEvent whole = eventOf(EventKind::Step, rank, step, 0, 1.0);
        whole.wait_ns = static_cast<std::int64_t>((1 - own) * 1e9);
        events.push_back(exchangeOf(ExchangeGroup::Ulysses, rank / 4 * 4, rank, step, 0.067 + 1 - own,
                                    1 - own, 10063872000));
        events.push_back(exchangeOf(ExchangeGroup::Cfg, rank % 4, rank, step, 0.0001, 0, 2096640));
        events.push_back(blockOf(EventWork::Linear, rank, step, 0, 1.0));
        events.push_back(whole);
    }
    return events;
}

/// Plans with the sets above and keeps what it was asked.
class PlanningEngine : public FakeEngine {
public:
    explicit PlanningEngine(HardwareSnapshot hardware = twoCores(), PlanSet plans = twoCorePlans())
        : hardware_(std::move(hardware)), plans_(std::move(plans)) {}

    HardwareSnapshot hardware() const override { return hardware_; }
    /// Without guidance there is no mesh with a CFG axis.
    Result<PlanSet> plan(const JobRequest& request, const HardwareSnapshot&) const override {
        const bool guided = !request.guidance || *request.guidance > 1;
        PlanSet set = plans_;
        std::erase_if(set.plans, [&](const Plan& plan) {
            if (!guided && plan.mesh.find("cfg") != std::string::npos) return true;
            return request.mesh == "auto" ? request.ranks > 0 && plan.ranks != request.ranks
                                          : plan.mesh != request.mesh;
        });
        if (!set.plans.empty()) {
            if (request.mesh != "auto" && set.plans.front().refusal) return *set.plans.front().refusal;
            return set;
        }
        if (!guided && request.mesh == "cfg2")
            return illegalMesh("cfg2", "cfg", 2, "one guidance branch runs", {"ulysses2", "single"});
        return illegalMesh(request.mesh, "tp", 5, "a divisor", {"ulysses2", "cfg2"});
    }
    std::future<Result<ParityReport>> parity(JobRequest request, RunOptions options, std::string mesh,
                                             std::string against) override {
        {
            const std::lock_guard lock(mutex_);
            parityRequest_ = request;
        }
        return FakeEngine::parity(std::move(request), std::move(options), std::move(mesh),
                                  std::move(against));
    }
    JobRequest parityRequest() const {
        const std::lock_guard lock(mutex_);
        return parityRequest_;
    }

private:
    HardwareSnapshot hardware_;
    PlanSet plans_;
    mutable std::mutex mutex_;
    JobRequest parityRequest_;
};

} // namespace reelmesh
