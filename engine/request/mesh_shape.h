// The named axes of a mesh, their fixed order, and strings such as "cfg2,ulysses4". Pure.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace reelmesh {

/// Innermost first: rank = ((((data*C + cfg)*S + pipe)*R + ring)*U + ulysses)*T + tensor.
enum class Axis { Tensor, Ulysses, Ring, Pipe, Cfg, Data };
inline constexpr std::array<Axis, 6> kAxes{Axis::Tensor, Axis::Ulysses, Axis::Ring,
                                           Axis::Pipe,   Axis::Cfg,     Axis::Data};
/// "tp", "ulysses", "ring", "pipe", "cfg", "dp".
std::string_view axis_name(Axis axis);

struct MeshShape {
    std::array<int, 6> degrees{1, 1, 1, 1, 1, 1}; ///< indexed by Axis

    int degree(Axis axis) const { return degrees[static_cast<std::size_t>(axis)]; }
    int ranks() const;
    int coordinate(int rank, Axis axis) const;
    /// The rank with another coordinate on one axis.
    int neighbour(int rank, Axis axis, int coordinate) const;
    bool operator==(const MeshShape&) const = default;
};

/// More ranks than this are no mesh.
inline constexpr int kMaxMeshRanks = 4096;

/// Any order, spaces ignored, each axis at most once, whole degrees from 1 without leading zeros; "single" is
/// one rank. Throws MeshSyntax.
MeshShape parse_mesh(std::string_view text);
/// Order cfg,ulysses,ring,tp,pipe,dp without degree 1; "single".
std::string mesh_text(const MeshShape& shape);

} // namespace reelmesh
