#include "mesh_model.h"

#include <algorithm>
#include <cmath>

#include "slowest_rank.h"

namespace reelmesh {
namespace {

constexpr const char* kCpu = "cpu";
/// Axes whose groups exchange; replicas of the data axis never do.
constexpr MeshAxis kLinked[] = {MeshAxis::Cfg, MeshAxis::Ulysses, MeshAxis::Ring, MeshAxis::Tp,
                                MeshAxis::Pipe};

double known(std::uint64_t bytes) {
    return bytes > 0 ? static_cast<double>(bytes) : kUnknown;
}

} // namespace

MeshModel::MeshModel(QObject* parent) : QObject(parent) {
    later_.setSingleShot(true);
    connect(&later_, &QTimer::timeout, this, &MeshModel::refresh);
}

void MeshModel::setPlans(const PlanSet& plans, const HardwareSnapshot& hardware) {
    hardware_ = hardware;
    if (!plans.plans.empty() && !plans.plans.front().refusal) {
        draft_ = plans.plans.front();
        // The measured picture of the last job stays as long as the draft asks for the same mesh.
        if (!running_ && job_ && job_->mesh != draft_->mesh) job_.reset();
    }
    touch();
}

void MeshModel::setHardware(const HardwareSnapshot& hardware) {
    hardware_ = hardware;
    touch();
}

void MeshModel::begin(const RunningJob& job) {
    jobId_ = job.id;
    job_ = job.plan;
    running_ = true;
    activity_.reset(job.plan.ranks);
    for (auto& [device, memory] : memory_)
        memory.peak = kUnknown;
    touch();
}

void MeshModel::apply(const JobStateChanged& event) {
    if (!running_ || event.job != jobId_) return;
    switch (event.state) {
    case JobState::Pending: break;
    case JobState::Running: activity_.enter(event.stage); break;
    case JobState::Paused: activity_.enter(Stage::None); break;
    case JobState::Failed:
        activity_.fail(event.error.rank);
        running_ = false;
        break;
    case JobState::Done:
    case JobState::Canceled:
        activity_.finish();
        running_ = false;
        break;
    }
    touch();
}

void MeshModel::apply(const StepDone& event) {
    if (!running_ || event.job != jobId_) return;
    activity_.apply(event);
    touch();
}

void MeshModel::apply(JobId job, const std::vector<TelemetryEvent>& events) {
    if (!job_ || job != jobId_) return;
    activity_.apply(events);
    touch();
}

void MeshModel::apply(const LoadSample& sample) {
    const auto note = [this](const std::string& device, double used, double total) {
        Measured& memory = memory_[device];
        memory.used = used;
        memory.total = total;
        if (!std::isnan(used)) memory.peak = std::isnan(memory.peak) ? used : std::max(memory.peak, used);
    };
    for (const DeviceLoad& device : sample.devices)
        note(device.id, device.memory_used_bytes, device.memory_total_bytes);
    note(kCpu, sample.machine.resident_bytes, sample.machine.limit_bytes);
    touch();
}

const Plan* MeshModel::shown() const {
    if (job_) return &*job_;
    return draft_ ? &*draft_ : nullptr;
}

void MeshModel::touch() {
    if (later_.isActive()) return;
    const qint64 passed = since_.isValid() ? since_.elapsed() : kRefresh_ms;
    if (passed >= kRefresh_ms)
        refresh();
    else
        later_.start(kRefresh_ms - static_cast<int>(passed));
}

void MeshModel::refresh() {
    since_.start();
    activity_.settle();
    const Plan* plan = shown();
    scene_ = plan ? makeScene(*plan) : MeshScene{};
    Q_EMIT changed();
}

MeshScene MeshModel::makeScene(const Plan& plan) const {
    MeshScene scene;
    scene.degrees = MeshDegrees::parse(QString::fromStdString(plan.mesh)).value_or(MeshDegrees{});
    const int ranks = scene.degrees.ranks();
    for (int rank = 0; rank < ranks; ++rank) {
        scene.cards.push_back(makeCard(plan, rank));
        scene.cards.back().coordinates = scene.degrees.coordinates(rank);
    }
    if (job_) addTimes(scene.cards);
    for (const MeshAxis axis : kLinked) {
        if (scene.degrees.degree(axis) == 1) continue;
        for (int rank = 0; rank < ranks; ++rank)
            if (scene.degrees.coordinate(rank, axis) == 0)
                scene.links.push_back(makeLink(plan, axis, scene.degrees.group(rank, axis)));
    }
    return scene;
}

RankCard MeshModel::makeCard(const Plan& plan, int rank) const {
    const auto index = static_cast<std::size_t>(rank);
    const std::string device = index < plan.devices.size() ? plan.devices[index] : kCpu;
    RankCard card;
    card.name = rankName(device, rank);
    card.weightsBytes = known(plan.memory.weights);
    if (device == kCpu) {
        // Ranks of a processor share one process: its figure is the one that can be measured.
        card.predictedBytes = known(plan.memory.peak());
        card.totalBytes = known(hardware_.total_bytes);
    } else {
        if (index < plan.shares.size()) card.predictedBytes = known(plan.shares[index].peak_bytes);
        for (const DeviceSummary& summary : hardware_.devices)
            if (summary.id == device) card.totalBytes = known(summary.total_bytes);
    }
    if (!job_) return card;
    const Measured& memory = measured(device);
    card.usedBytes = memory.used;
    card.peakBytes = memory.peak;
    if (!std::isnan(memory.total)) card.totalBytes = memory.total;
    card.state = activity_.state(rank);
    card.busy = activity_.busy(rank);
    card.stepSeconds = activity_.stepSeconds(rank);
    return card;
}

MeshLink MeshModel::makeLink(const Plan& plan, MeshAxis axis, std::vector<int> ranks) const {
    MeshLink link;
    link.group = exchangeGroup(axis);
    link.ranks = std::move(ranks);
    const char* name = exchange_group_name(link.group);
    for (const AxisCost& cost : plan.axes)
        if (cost.axis == name) link.bytes = static_cast<double>(cost.bytes_per_step);
    for (std::size_t i = 1; i < link.ranks.size(); ++i) {
        const auto one = static_cast<std::size_t>(link.ranks[i - 1]),
                   other = static_cast<std::size_t>(link.ranks[i]);
        if (one < plan.devices.size() && other < plan.devices.size())
            link.staged = link.staged || isStaged(plan.devices[one], plan.devices[other]);
    }
    if (!job_) return link;
    if (const auto transfer = activity_.transfer(link.group, link.firstRank())) {
        link.measured = true;
        link.bytes = transfer->bytes;
        link.transferSeconds = transfer->transferSeconds;
        link.waitSeconds = transfer->waitSeconds;
        link.staged = link.staged || transfer->staged;
    }
    return link;
}

void MeshModel::addTimes(std::vector<RankCard>& cards) const {
    std::vector<RankCard*> timed;
    std::vector<double> times;
    for (RankCard& card : cards) {
        if (std::isnan(card.stepSeconds)) continue;
        timed.push_back(&card);
        times.push_back(card.stepSeconds);
    }
    if (times.size() < 2) return;
    const double middle = median(times);
    for (RankCard* card : timed)
        if (middle > 0) card->deviation = card->stepSeconds / middle - 1;
    if (const int slowest = slowestOf(times); slowest >= 0)
        timed[static_cast<std::size_t>(slowest)]->slowest = true;
}

const MeshModel::Measured& MeshModel::measured(const std::string& device) const {
    static const Measured kNothing;
    const auto found = memory_.find(device);
    return found == memory_.end() ? kNothing : found->second;
}

bool MeshModel::isStaged(const std::string& one, const std::string& other) const {
    if (one == other) return false;
    const auto place = [this](const std::string& device) {
        for (std::size_t i = 0; i < hardware_.devices.size(); ++i)
            if (hardware_.devices[i].id == device) return static_cast<int>(i);
        return -1;
    };
    const int from = place(one), to = place(other);
    if (from < 0 || to < 0) return false;
    for (const LinkSummary& link : hardware_.links)
        if ((link.from == from && link.to == to) || (link.from == to && link.to == from))
            return link.kind == "staged";
    return true;
}

} // namespace reelmesh
