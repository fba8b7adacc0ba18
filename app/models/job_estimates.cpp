#include "job_estimates.h"

namespace reelmesh {
namespace {

constexpr qsizetype kMostEstimates = 256;

QString shapeOf(const JobRequest& request) {
    JobRequest shape = request;
    shape.prompt.clear();
    shape.negative_prompt.reset();
    shape.seed.reset();
    return QString::fromStdString(job_to_json(shape, JobScope::Whole));
}

const Plan* firstPossible(const PlanSet& plans) {
    for (const Plan& plan : plans.plans)
        if (!plan.refusal) return &plan;
    return nullptr;
}

} // namespace

JobEstimates::JobEstimates(EngineClient& client, QObject* parent) : QObject(parent), client_(client) {}

void JobEstimates::fill(JobItem& job) {
    const QString shape = job.shape = shapeOf(job.request);
    if (const auto found = estimates_.constFind(shape); found != estimates_.constEnd()) {
        job.plan = found->plan;
        job.plannedSeconds = found->seconds;
        return;
    }
    if (asked_.contains(shape)) return;
    asked_ << shape;
    client_.ask(
        this, [request = job.request](Engine& engine) { return engine.plan(request, engine.hardware()); },
        [this, shape](const Result<PlanSet>& plans) {
            asked_.remove(shape);
            const Plan* plan = plans ? firstPossible(*plans) : nullptr;
            if (!plan) return;
            if (estimates_.size() >= kMostEstimates) estimates_.clear();
            const Estimate estimate{*plan, plan->total_seconds > 0 ? plan->total_seconds : -1};
            estimates_[shape] = estimate;
            Q_EMIT known(shape, estimate);
        });
}

} // namespace reelmesh
