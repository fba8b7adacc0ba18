// A mesh as its degrees by axis: reads and writes strings such as "cfg2,ulysses4" and numbers ranks over the
// axes as the engine does (docs/mesh.md). Legality is the engine's. Pure: any thread.
#pragma once

#include <QString>
#include <QStringView>

#include <array>
#include <optional>
#include <vector>

#include "engine/telemetry.h"

namespace reelmesh {

/// Innermost first: rank = ((((dp*C + cfg)*P + pipe)*R + ring)*U + ulysses)*T + tp.
enum class MeshAxis { Tp, Ulysses, Ring, Pipe, Cfg, Dp };
inline constexpr int kMeshAxes = 6;

class MeshDegrees {
public:
    /// Any order, spaces ignored, each axis at most once; "single" is one rank. Nothing for other text.
    static std::optional<MeshDegrees> parse(QStringView text);

    int degree(MeshAxis axis) const { return degrees_[static_cast<std::size_t>(axis)]; }
    MeshDegrees with(MeshAxis axis, int degree) const;
    int ranks() const;
    /// Order cfg, ulysses, ring, tp, pipe, dp without degree 1; "single".
    QString text() const;
    /// "CFG 2 × U 4"; "single".
    QString label() const;

    int coordinate(int rank, MeshAxis axis) const;
    /// Of the axes that are split: "c0 u3 r1 t0".
    QString coordinates(int rank) const;
    /// The ranks that differ from this one on the axis alone, in order.
    std::vector<int> group(int rank, MeshAxis axis) const;

    bool operator==(const MeshDegrees&) const = default;

private:
    int stride(MeshAxis axis) const;

    std::array<int, kMeshAxes> degrees_{1, 1, 1, 1, 1, 1};
};

/// What the collectives of an axis are counted under.
ExchangeGroup exchangeGroup(MeshAxis axis);
/// "cuda:3" is "GPU 3"; a rank of the processor is "CPU 2" by its own number.
QString rankName(const std::string& device, int rank);

} // namespace reelmesh
