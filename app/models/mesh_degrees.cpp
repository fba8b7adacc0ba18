#include "mesh_degrees.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QStringList>

#include <functional>
#include <numeric>

namespace reelmesh {
namespace {

constexpr int kMostRanks = 4096;

struct AxisNames {
    MeshAxis axis;
    const char* key;   ///< of mesh strings
    const char* label; ///< of plans
    char coordinate;
};

/// In the order of mesh strings.
constexpr std::array<AxisNames, kMeshAxes> kNames{{
    {MeshAxis::Cfg, "cfg", "CFG", 'c'},
    {MeshAxis::Ulysses, "ulysses", "U", 'u'},
    {MeshAxis::Ring, "ring", "R", 'r'},
    {MeshAxis::Tp, "tp", "TP", 't'},
    {MeshAxis::Pipe, "pipe", "Pipe", 'p'},
    {MeshAxis::Dp, "dp", "Data", 'd'},
}};

} // namespace

std::optional<MeshDegrees> MeshDegrees::parse(QStringView text) {
    const QString packed = text.toString().remove(' ');
    MeshDegrees mesh;
    if (packed == "single") return mesh;
    static const QRegularExpression term("^(cfg|ulysses|ring|tp|pipe|dp)([1-9][0-9]{0,3})$");
    QStringList seen;
    const QStringList terms = packed.split(',');
    for (const QString& part : terms) {
        const QRegularExpressionMatch match = term.match(part);
        if (!match.hasMatch() || seen.contains(match.captured(1))) return std::nullopt;
        seen << match.captured(1);
        for (const AxisNames& names : kNames)
            if (match.captured(1) == names.key) mesh = mesh.with(names.axis, match.captured(2).toInt());
        if (mesh.ranks() > kMostRanks) return std::nullopt;
    }
    return mesh;
}

MeshDegrees MeshDegrees::with(MeshAxis axis, int degree) const {
    MeshDegrees other = *this;
    other.degrees_[static_cast<std::size_t>(axis)] = degree;
    return other;
}

int MeshDegrees::ranks() const {
    // Typed degrees may multiply beyond an int.
    const double product = std::accumulate(degrees_.begin(), degrees_.end(), 1.0, std::multiplies<>());
    return product > kMostRanks ? kMostRanks + 1 : static_cast<int>(product);
}

QString MeshDegrees::text() const {
    QStringList parts;
    for (const AxisNames& names : kNames)
        if (degree(names.axis) > 1) parts << names.key + QString::number(degree(names.axis));
    return parts.isEmpty() ? QStringLiteral("single") : parts.join(',');
}

QString MeshDegrees::label() const {
    QStringList parts;
    for (const AxisNames& names : kNames)
        if (degree(names.axis) > 1) parts << QString("%1 %2").arg(names.label).arg(degree(names.axis));
    return parts.isEmpty() ? QCoreApplication::translate("MeshDegrees", "single")
                           : parts.join(QStringLiteral(" × "));
}

int MeshDegrees::stride(MeshAxis axis) const {
    return std::accumulate(degrees_.begin(), degrees_.begin() + static_cast<int>(axis), 1,
                           std::multiplies<>());
}

int MeshDegrees::coordinate(int rank, MeshAxis axis) const {
    return rank / stride(axis) % degree(axis);
}

QString MeshDegrees::coordinates(int rank) const {
    QStringList parts;
    for (const AxisNames& names : kNames)
        if (degree(names.axis) > 1) parts << names.coordinate + QString::number(coordinate(rank, names.axis));
    return parts.join(' ');
}

std::vector<int> MeshDegrees::group(int rank, MeshAxis axis) const {
    const int first = rank - coordinate(rank, axis) * stride(axis);
    std::vector<int> ranks;
    for (int i = 0; i < degree(axis); ++i)
        ranks.push_back(first + i * stride(axis));
    return ranks;
}

ExchangeGroup exchangeGroup(MeshAxis axis) {
    switch (axis) {
    case MeshAxis::Tp: return ExchangeGroup::Tensor;
    case MeshAxis::Ulysses: return ExchangeGroup::Ulysses;
    case MeshAxis::Ring: return ExchangeGroup::Ring;
    case MeshAxis::Pipe: return ExchangeGroup::Pipe;
    case MeshAxis::Cfg: return ExchangeGroup::Cfg;
    case MeshAxis::Dp: return ExchangeGroup::Data;
    }
    return ExchangeGroup::Data;
}

QString rankName(const std::string& device, int rank) {
    const QString id = QString::fromStdString(device);
    if (id.startsWith("cuda:")) return QCoreApplication::translate("MeshDegrees", "GPU %1").arg(id.mid(5));
    return QCoreApplication::translate("MeshDegrees", "CPU %1").arg(rank);
}

} // namespace reelmesh
