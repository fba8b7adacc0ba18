#include "request/mesh_rules.h"

#include "base/check.h"

#include <algorithm>

namespace reelmesh {
namespace {

constexpr int kGuidanceBranches = 2;

std::vector<std::string> meshes_for(const JobRequest& request) {
    return uses_guidance(request) ? std::vector<std::string>{"single", "cfg2"}
                                  : std::vector<std::string>{"single"};
}

std::vector<Error> auto_faults(const JobRequest& request) {
    const int most = uses_guidance(request) ? kGuidanceBranches : 1;
    if (request.ranks <= most) return {};
    const std::string needed = most == 1 ? "1 without guidance" : "1 or 2 in this build";
    return {make_error(ErrorCode::BadField, {{"field", "ranks"},
                                             {"found", std::int64_t{request.ranks}},
                                             {"needed", needed},
                                             {"nearest", std::vector{std::to_string(most)}}})};
}

std::vector<Error> shape_faults(const JobRequest& request, const MeshShape& shape) {
    std::vector<Error> faults;
    const std::string mesh = mesh_text(shape);
    for (const Axis axis : kAxes)
        if (axis != Axis::Cfg && shape.degree(axis) > 1)
            faults.push_back(make_error(
                ErrorCode::MeshNotInBuild,
                {{"mesh", mesh}, {"axis", std::string(axis_name(axis))}, {"nearest", meshes_for(request)}}));
    const int branches = shape.degree(Axis::Cfg);
    const bool too_many = branches > kGuidanceBranches;
    if (too_many || (branches > 1 && !uses_guidance(request)))
        faults.push_back(
            make_error(ErrorCode::MeshIllegal,
                       {{"mesh", mesh},
                        {"axis", "cfg"},
                        {"found", std::int64_t{branches}},
                        {"needed", too_many ? "1 or 2 are needed" : "it needs a guidance above 1"},
                        {"nearest", meshes_for(request)}}));
    if (request.ranks != 0 && request.ranks != shape.ranks()) {
        const std::string ranks = std::to_string(shape.ranks());
        faults.push_back(make_error(ErrorCode::BadField, {{"field", "ranks"},
                                                          {"found", std::int64_t{request.ranks}},
                                                          {"needed", ranks + " for the mesh " + mesh},
                                                          {"nearest", std::vector{ranks}}}));
    }
    return faults;
}

} // namespace

bool uses_guidance(const JobRequest& request) {
    return !request.guidance || *request.guidance > 1;
}

std::vector<Error> mesh_faults(const JobRequest& request) {
    if (request.mesh == "auto") return auto_faults(request);
    const Result<MeshShape> shape = catch_errors([&] { return parse_mesh(request.mesh); });
    if (!shape) return {shape.error()};
    return shape_faults(request, *shape);
}

MeshShape chosen_mesh(const JobRequest& request) {
    if (request.mesh != "auto") return parse_mesh(request.mesh);
    MeshShape shape;
    if (request.ranks == kGuidanceBranches)
        shape.degrees[static_cast<std::size_t>(Axis::Cfg)] = kGuidanceBranches;
    return shape;
}

} // namespace reelmesh
