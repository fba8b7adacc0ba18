#include "request/mesh_shape.h"

#include "base/check.h"
#include "base/excerpt.h"
#include "request/numbers.h"

#include <algorithm>
#include <numeric>

namespace reelmesh {
namespace {

constexpr std::array<std::string_view, 6> kAxisNames{"tp", "ulysses", "ring", "pipe", "cfg", "dp"};
constexpr std::array<Axis, 6> kTextOrder{Axis::Cfg,    Axis::Ulysses, Axis::Ring,
                                         Axis::Tensor, Axis::Pipe,    Axis::Data};
constexpr const char* kGrammar = "single, or axes such as cfg2,ulysses4 out of cfg ulysses ring tp pipe dp";

int stride_of(const MeshShape& shape, Axis axis) {
    const auto end = shape.degrees.begin() + static_cast<std::ptrdiff_t>(axis);
    return std::accumulate(shape.degrees.begin(), end, 1, std::multiplies<>());
}

[[noreturn]] void fail_syntax(std::string_view text) {
    fail(ErrorCode::MeshSyntax, {{"found", "\"" + excerpt(text) + "\""}, {"needed", kGrammar}});
}

/// Degree behind an axis name; 0 where there is none.
int degree_behind(std::string_view term, std::string_view name) {
    if (!term.starts_with(name)) return 0;
    const std::string_view digits = term.substr(name.size());
    if (digits.starts_with('0')) return 0;
    const int degree = parse_whole<int>(digits).value_or(0);
    return degree > kMaxMeshRanks ? 0 : degree;
}

} // namespace

std::string_view axis_name(Axis axis) {
    return kAxisNames[static_cast<std::size_t>(axis)];
}

int MeshShape::ranks() const {
    return std::accumulate(degrees.begin(), degrees.end(), 1, std::multiplies<>());
}

int MeshShape::coordinate(int rank, Axis axis) const {
    return rank / stride_of(*this, axis) % degree(axis);
}

int MeshShape::neighbour(int rank, Axis axis, int other) const {
    return rank + (other - coordinate(rank, axis)) * stride_of(*this, axis);
}

MeshShape parse_mesh(std::string_view text) {
    std::string packed(text);
    std::erase(packed, ' ');
    MeshShape shape;
    if (packed == "single") return shape;

    std::array<bool, 6> seen{};
    int ranks = 1;
    std::string_view rest = packed;
    while (true) {
        const std::size_t comma = rest.find(',');
        const std::string_view term = rest.substr(0, comma);
        const auto named = std::find_if(kAxes.begin(), kAxes.end(),
                                        [&](Axis axis) { return degree_behind(term, axis_name(axis)) > 0; });
        if (named == kAxes.end()) fail_syntax(text);
        const auto index = static_cast<std::size_t>(*named);
        shape.degrees[index] = degree_behind(term, axis_name(*named));
        if (seen[index] || shape.degrees[index] > kMaxMeshRanks / ranks) fail_syntax(text);
        seen[index] = true;
        ranks *= shape.degrees[index];
        if (comma == std::string_view::npos) return shape;
        rest.remove_prefix(comma + 1);
    }
}

std::string mesh_text(const MeshShape& shape) {
    std::string text;
    for (const Axis axis : kTextOrder) {
        if (shape.degree(axis) == 1) continue;
        if (!text.empty()) text += ',';
        text += std::string(axis_name(axis)) + std::to_string(shape.degree(axis));
    }
    return text.empty() ? "single" : text;
}

} // namespace reelmesh
