// Where the parts of a tensor are. Layers and models state placements; parallel/redistribute
// alone moves data. Plain values.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "mesh/axis.h"

namespace reelmesh {

enum class PlacementKind {
    Whole,      ///< every rank of the axis holds all of it
    Split,      ///< cut along dim over the axis; parts as in sizes, in rank order
    PartialSum, ///< the value is the sum over the axis
    Branch,     ///< each rank of the cfg axis holds its own guidance branch
};

struct Placement {
    PlacementKind kind = PlacementKind::Whole;
    std::int64_t dim = 0;
    Axis axis = Axis::Cfg;           ///< all but Whole
    std::vector<std::int64_t> sizes; ///< Split: one entry a rank of the axis

    static Placement whole() { return {}; }
    static Placement branch() { return {PlacementKind::Branch, 0, Axis::Cfg, {}}; }
    static Placement split(std::int64_t dim, Axis axis, std::vector<std::int64_t> sizes) {
        return {PlacementKind::Split, dim, axis, std::move(sizes)};
    }
    static Placement partial_sum(Axis axis) { return {PlacementKind::PartialSum, 0, axis, {}}; }
    bool operator==(const Placement&) const = default;
};

/// A tensor on the mesh: what this rank holds of it, and where the rest is.
struct MeshTensor {
    at::Tensor local;
    Placement placement;
};

} // namespace reelmesh
