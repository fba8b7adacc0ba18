#include "mesh_choice.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

constexpr qsizetype kMostOffers = 3;
constexpr const char* kAuto = "auto";

QStringList listOf(const Error& error, const char* argument) {
    QStringList list;
    for (const ErrorArgument& entry : error.arguments) {
        if (entry.name != argument) continue;
        if (const auto* texts = std::get_if<std::vector<std::string>>(&entry.value))
            for (const std::string& text : *texts)
                list << QString::fromStdString(text);
        else if (const auto* text = std::get_if<std::string>(&entry.value))
            list << QString::fromStdString(*text);
    }
    return list;
}

} // namespace

MeshChoice::MeshChoice(RequestDraft& draft, QObject* parent) : QObject(parent), draft_(draft) {
    cpuRanks_ = std::max(1, draft.ranks());
    connect(&draft, &RequestDraft::changed, this, [this] {
        if (mode() == Mode::Auto && draft_.ranks() > 0) cpuRanks_ = draft_.ranks();
        Q_EMIT changed();
    });
}

void MeshChoice::setAlternatives(const PlanSet& plans, const HardwareSnapshot& hardware) {
    alternatives_ = plans;
    cores_ = hardware.cores;
    onCpu_ = std::all_of(hardware.devices.begin(), hardware.devices.end(),
                         [](const DeviceSummary& device) { return device.id == "cpu"; });
    Q_EMIT changed();
}

void MeshChoice::setPlans(const PlanSet& plans, const JobRequest& asked) {
    if (plans.plans.empty()) return;
    const Plan& plan = plans.plans.front();
    if (plan.refusal) return setPlanError(*plan.refusal, asked);
    answered_ = asked.mesh;
    answeredGuides_ = !asked.guidance || *asked.guidance > 1;
    plan_ = plan;
    error_.reset();
    const auto degrees = MeshDegrees::parse(QString::fromStdString(plan.mesh));
    if (asked.mesh == kAuto && answeredGuides_ && degrees && degrees->degree(MeshAxis::Cfg) > 1)
        guidedMesh_ = degrees->label();
    Q_EMIT changed();
}

void MeshChoice::setPlanError(const Error& error, const JobRequest& asked) {
    answered_ = asked.mesh;
    answeredGuides_ = !asked.guidance || *asked.guidance > 1;
    plan_.reset();
    error_ = error;
    Q_EMIT changed();
}

MeshChoice::Mode MeshChoice::mode() const {
    return draft_.mesh() == kAuto ? Mode::Auto : Mode::Manual;
}

void MeshChoice::setMode(Mode mode) {
    if (mode == this->mode()) return;
    if (mode == Mode::Manual) {
        const QString mesh = degrees().text();
        draft_.setRanks(0);
        draft_.setMesh(mesh);
        return;
    }
    // A mesh by hand tells how many ranks are wanted.
    if (onCpu_) cpuRanks_ = std::clamp(degrees().ranks(), 1, kMostCpuRanks);
    const int ranks = onCpu_ ? cpuRanks_ : 0;
    draft_.setMesh(kAuto);
    draft_.setRanks(ranks);
}

QString MeshChoice::text() const {
    if (mode() == Mode::Manual) return draft_.mesh();
    return plan_ && answered_ == kAuto ? QString::fromStdString(plan_->mesh) : QString(kAuto);
}

void MeshChoice::setText(const QString& text) {
    const QString trimmed = text.trimmed();
    if (trimmed == kAuto) return setMode(Mode::Auto);
    draft_.setRanks(0);
    draft_.setMesh(trimmed);
}

MeshDegrees MeshChoice::degrees() const {
    return MeshDegrees::parse(text()).value_or(MeshDegrees{});
}

void MeshChoice::setDegree(MeshAxis axis, int degree) {
    const MeshDegrees mesh = degrees();
    if (mesh.degree(axis) == degree && mode() == Mode::Manual) return;
    setText(mesh.with(axis, degree).text());
}

QList<int> MeshChoice::legalDegrees(MeshAxis axis) const {
    const MeshDegrees mesh = degrees();
    QList<int> legal{mesh.degree(axis)};
    int most = 1;
    for (const Plan& plan : alternatives_.plans) {
        const auto other = MeshDegrees::parse(QString::fromStdString(plan.mesh));
        if (plan.refusal || !other) continue;
        most = std::max(most, other->ranks());
        if (other->with(axis, 1) == mesh.with(axis, 1)) legal << other->degree(axis);
    }
    // Replicas are not listed: they repeat a mesh that is, as long as there are devices.
    if (axis == MeshAxis::Dp)
        for (int replicas = 1; replicas * mesh.with(axis, 1).ranks() <= most; ++replicas)
            legal << replicas;
    std::sort(legal.begin(), legal.end());
    legal.erase(std::unique(legal.begin(), legal.end()), legal.end());
    return legal;
}

int MeshChoice::cpuRanks() const {
    // Left open, it is what the planner chose.
    return mode() == Mode::Auto && draft_.ranks() > 0 ? cpuRanks_ : degrees().ranks();
}

void MeshChoice::setCpuRanks(int ranks) {
    cpuRanks_ = std::clamp(ranks, 1, kMostCpuRanks);
    draft_.setMesh(kAuto);
    draft_.setRanks(cpuRanks_);
}

bool MeshChoice::guides() const {
    const JobRequest& request = draft_.complete();
    return !request.guidance || *request.guidance > 1;
}

QString MeshChoice::canonical() const {
    const auto mesh = MeshDegrees::parse(draft_.mesh());
    return mesh ? mesh->text() : QString();
}

const Plan* MeshChoice::alternative(const QString& mesh) const {
    const std::string name = mesh.toStdString();
    for (const Plan& plan : alternatives_.plans)
        if (plan.mesh == name) return &plan;
    return nullptr;
}

bool MeshChoice::isAnswered() const {
    return answered_ == draft_.mesh().toStdString() && answeredGuides_ == guides();
}

MeshChoice::Legality MeshChoice::legality() const {
    if (mode() == Mode::Auto) return Legality::Legal;
    const auto mesh = MeshDegrees::parse(draft_.mesh());
    if (!mesh) return Legality::Illegal;
    if (mesh->degree(MeshAxis::Cfg) > 1 && !guides()) return Legality::Illegal;
    if (isAnswered()) return error_ ? Legality::Illegal : Legality::Legal;
    if (const Plan* plan = alternative(mesh->text()))
        return plan->refusal ? Legality::Illegal : Legality::Legal;
    return Legality::Unknown;
}

QString MeshChoice::fault() const {
    if (legality() != Legality::Illegal) return {};
    if (isAnswered() && error_) return QString::fromStdString(error_message(*error_));
    const QString mesh = canonical();
    if (mesh.isEmpty())
        return tr("%1 is no mesh: write single, or axes such as cfg2,ulysses4").arg(draft_.mesh());
    if (degrees().degree(MeshAxis::Cfg) > 1 && !guides())
        return tr("CFG is off at 1 or less: there is one branch to compute");
    const Plan* plan = alternative(mesh);
    return plan && plan->refusal ? QString::fromStdString(error_message(*plan->refusal)) : QString();
}

QStringList MeshChoice::nearest() const {
    QStringList offers;
    if (legality() != Legality::Illegal) return offers;
    if (isAnswered() && error_)
        offers = listOf(*error_, "nearest");
    else if (const Plan* plan = alternative(canonical()); plan && plan->refusal)
        offers = listOf(*plan->refusal, "nearest");
    // A text that says no mesh is near to none: the best ones.
    for (const Plan& plan : alternatives_.plans)
        if (offers.size() < kMostOffers && !plan.refusal)
            if (const QString mesh = QString::fromStdString(plan.mesh); !offers.contains(mesh))
                if (canonical().isEmpty()) offers << mesh;
    return offers.mid(0, kMostOffers);
}

QString MeshChoice::note() const {
    if (mode() != Mode::Auto || guides() || !plan_ || !isAnswered()) return {};
    const auto mesh = MeshDegrees::parse(QString::fromStdString(plan_->mesh));
    if (!mesh || mesh->ranks() == 1) return {};
    if (guidedMesh_.isEmpty()) return tr("CFG is off: all ranks share the tokens, %1").arg(mesh->label());
    return tr("CFG is off: its ranks share the tokens, %1 became %2").arg(guidedMesh_, mesh->label());
}

} // namespace reelmesh
