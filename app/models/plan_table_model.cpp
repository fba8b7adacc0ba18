#include "plan_table_model.h"

#include <QLocale>

#include <algorithm>
#include <cmath>

#include "models/mesh_degrees.h"

namespace reelmesh {
namespace {

constexpr double kGiB = 1024.0 * 1024 * 1024;
constexpr const char* kMeasured = "measured";

QString estimate(double value, int decimals) {
    return QStringLiteral("≈ ") + QLocale().toString(value, 'f', decimals);
}

/// Two decimals, more where they would be all zeros.
QString gigabytes(std::uint64_t bytes) {
    const double value = static_cast<double>(bytes) / 1e9;
    if (value == 0 || value >= 0.1) return QLocale().toString(value, 'f', 2);
    return QLocale().toString(value, 'f', value >= 0.001 ? 4 : 6);
}

/// Share of a step that is exchange not hidden behind arithmetic. The decoder's is no part of a step.
double exposedShare(const Plan& plan) {
    double seconds = 0;
    for (const AxisCost& axis : plan.axes)
        if (axis.axis != "vae") seconds += axis.seconds_per_step;
    return plan.step_seconds > 0 ? seconds / plan.step_seconds : 0;
}

} // namespace

void PlanTableModel::setPlans(const PlanSet& plans) {
    const bool sameRows =
        std::equal(plans.plans.begin(), plans.plans.end(), plans_.plans.begin(), plans_.plans.end(),
                   [](const Plan& one, const Plan& other) {
                       return one.mesh == other.mesh && one.refusal.has_value() == other.refusal.has_value();
                   });
    if (sameRows && rowCount() > 0) {
        // A view keeps its place and its current row.
        plans_ = plans;
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
        return;
    }
    beginResetModel();
    plans_ = plans;
    endResetModel();
}

void PlanTableModel::setCurrent(const std::string& mesh) {
    if (mesh == current_) return;
    current_ = mesh;
    if (rowCount() > 0)
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {CurrentRole});
}

int PlanTableModel::currentRow() const {
    for (std::size_t row = 0; row < plans_.plans.size(); ++row)
        if (plans_.plans[row].mesh == current_) return static_cast<int>(row);
    return -1;
}

int PlanTableModel::refused() const {
    return static_cast<int>(std::count_if(plans_.plans.begin(), plans_.plans.end(),
                                          [](const Plan& plan) { return plan.refusal.has_value(); }));
}

int PlanTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(plans_.plans.size());
}

int PlanTableModel::columnCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PlanTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Plan& plan = plans_.plans[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole: return text(plan, index.column());
    case Qt::ToolTipRole: return toolTip(plan, index.column());
    case Qt::TextAlignmentRole: return headerData(index.column(), Qt::Horizontal, role);
    case RefusedRole: return plan.refusal.has_value();
    case CurrentRole: return !plan.refusal && plan.mesh == current_;
    case MeshRole: return QString::fromStdString(plan.mesh);
    default: return {};
    }
}

QVariant PlanTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole) {
        const bool number = section >= StepSeconds && section <= Exposed;
        return int((number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    }
    if (role == Qt::ToolTipRole) {
        switch (section) {
        case Mesh: return tr("How the work is split; a double click uses it.");
        case StepSeconds: return tr("Seconds of one denoising step.");
        case TotalSeconds: return tr("Seconds of the whole job, the model loaded.");
        case Memory:
            return tr(
                "Memory of the fullest rank, on a CPU of the process: weights, activations and decoder.");
        case Bytes: return tr("What the busiest rank sends in a step.");
        case Exposed: return tr("Share of a step that waits for transfers.");
        case Exact: return tr("Whether the result equals that of one rank.");
        case Basis: return tr("Where the rates are from.");
        case WhyNot: return tr("What keeps this mesh from running, and the nearest that would.");
        default: return {};
        }
    }
    if (role != Qt::DisplayRole) return {};
    switch (section) {
    case Mesh: return tr("Plan");
    case StepSeconds: return tr("Step s");
    case TotalSeconds: return tr("Total s");
    case Memory: return tr("GiB");
    case Bytes: return tr("GB/step/rank");
    case Exposed: return tr("Exposed");
    case Exact: return tr("Exact");
    case Basis: return tr("Basis");
    case WhyNot: return tr("Why not");
    default: return {};
    }
}

Qt::ItemFlags PlanTableModel::flags(const QModelIndex& index) const {
    if (!index.isValid()) return {};
    const Qt::ItemFlags flags = Qt::ItemIsEnabled | Qt::ItemNeverHasChildren;
    return index.data(RefusedRole).toBool() ? flags : flags | Qt::ItemIsSelectable;
}

QString PlanTableModel::text(const Plan& plan, int column) const {
    if (column == Mesh) {
        const auto degrees = MeshDegrees::parse(QString::fromStdString(plan.mesh));
        return degrees ? degrees->label() : QString::fromStdString(plan.mesh);
    }
    if (plan.refusal)
        return column == WhyNot ? QString::fromStdString(error_message(*plan.refusal)) : QString();
    switch (column) {
    case StepSeconds: return estimate(plan.step_seconds, plan.step_seconds < 10 ? 2 : 1);
    case TotalSeconds: return estimate(plan.total_seconds, plan.total_seconds < 10 ? 1 : 0);
    case Memory: return QLocale().toString(static_cast<double>(plan.memory.peak()) / kGiB, 'f', 1);
    case Bytes: return gigabytes(plan.bytes_per_step);
    case Exposed: return QLocale().toString(exposedShare(plan) * 100, 'f', 1) + tr(" %");
    case Exact: return !plan.exact ? tr("approximate") : plan.uneven ? tr("uneven heads") : tr("exact");
    case Basis: return plans_.basis == kMeasured ? tr("measured here") : tr("modelled");
    default: return {};
    }
}

QString PlanTableModel::toolTip(const Plan& plan, int column) const {
    if (plan.refusal) return text(plan, WhyNot);
    if (column == Basis) {
        if (plans_.basis == kMeasured) return tr("From the speed that earlier jobs had on this machine.");
        if (plans_.basis == "preset") return tr("From the usual speed of such devices.");
        return tr("From the number of cores: no job has been measured yet.");
    }
    QString text = QString::fromStdString(plan.mesh);
    for (const std::string& warning : plan.warnings)
        text += '\n' + QString::fromStdString(warning);
    return text;
}

} // namespace reelmesh
