#pragma once
#include <vector>
#include "request/mesh_shape.h"
namespace reelmesh {
struct MeshLimits {
    std::int64_t tokens = 0, heads = 0, ffn = 0, layers = 0;
    int branches = 1;
};
inline std::vector<MeshShape> legal_meshes(const MeshLimits& l, int ranks) {
    std::vector<MeshShape> all;
    for (int c = 1; c <= l.branches; ++c)
        for (int u = 1; u <= ranks; ++u)
            for (int r = 1; r <= ranks; ++r)
                for (int t = 1; t <= ranks; ++t) {
                    if (c * u * r * t != ranks || l.heads % t || l.ffn % t || u > l.heads / t || r * u > l.tokens) continue;
                    MeshShape s;
                    s.degrees = {t, u, r, 1, c, 1};
                    all.push_back(s);
                }
    return all;
}
} // namespace reelmesh
