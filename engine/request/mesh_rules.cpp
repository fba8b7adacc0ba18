#include "request/mesh_rules.h"

#include "base/check.h"

#include <algorithm>
#include <cmath>

namespace reelmesh {
namespace {

constexpr int kGuidanceBranches = 2;
constexpr std::size_t kMostOffers = 4;
/// Numbers of ranks above this are not looked through for an offer.
constexpr int kMostOfferedRanks = 64;

MeshShape make_shape(int cfg, int ulysses, int ring, int tensor) {
    MeshShape shape;
    shape.degrees[static_cast<std::size_t>(Axis::Cfg)] = cfg;
    shape.degrees[static_cast<std::size_t>(Axis::Ulysses)] = ulysses;
    shape.degrees[static_cast<std::size_t>(Axis::Ring)] = ring;
    shape.degrees[static_cast<std::size_t>(Axis::Tensor)] = tensor;
    return shape;
}

/// A rule that is broken: what is needed instead.
struct Fault {
    Axis axis;
    std::string needed;
};

std::string number(std::int64_t value) {
    return std::to_string(value);
}

/// "13824 does not divide by 5" for each of the numbers that do not.
std::string undivided(const MeshLimits& limits, int parts) {
    std::string text;
    for (const std::int64_t whole : {limits.heads, limits.ffn})
        if (whole % parts != 0)
            text += (text.empty() ? "" : " and ") + number(whole) + " does not divide by " + number(parts);
    return text;
}

std::vector<Fault> faults_of(const MeshShape& shape, const MeshLimits& limits) {
    const int cfg = shape.degree(Axis::Cfg), ulysses = shape.degree(Axis::Ulysses),
              ring = shape.degree(Axis::Ring), tensor = shape.degree(Axis::Tensor);
    std::vector<Fault> faults;
    if (cfg > limits.branches)
        faults.push_back({Axis::Cfg, limits.branches > 1
                                         ? "1 or " + number(limits.branches) + " are needed"
                                         : "one guidance branch runs: more need a guidance above 1 and a "
                                           "model without embedded guidance"});
    const std::string rest = undivided(limits, tensor);
    if (!rest.empty())
        faults.push_back({Axis::Tensor, "a divisor of the " + number(limits.heads) +
                                            " heads and of the feed-forward width " + number(limits.ffn) +
                                            " is needed, and " + rest});
    else if (limits.heads > 0 && ulysses > limits.heads / tensor)
        faults.push_back({Axis::Ulysses, "at most the " + number(limits.heads / tensor) +
                                             (tensor > 1 ? " heads of a tensor-parallel rank" : " heads") +
                                             " are needed"});
    if (limits.tokens > 0 && std::int64_t{ring} * ulysses > limits.tokens)
        faults.push_back({ring > ulysses ? Axis::Ring : Axis::Ulysses,
                          "at most " + number(limits.tokens) + " ranks may share the " +
                              number(limits.tokens) + " tokens"});
    return faults;
}

bool is_legal(const MeshShape& shape, const MeshLimits& limits) {
    return faults_of(shape, limits).empty();
}

int num_axes(const MeshShape& shape) {
    return static_cast<int>(
        std::count_if(shape.degrees.begin(), shape.degrees.end(), [](int degree) { return degree > 1; }));
}

/// How far a mesh is from the one that was asked for: doublings and halvings of its degrees.
double distance(const MeshShape& one, const MeshShape& other) {
    double sum = 0;
    for (const Axis axis : kAxes)
        sum += std::abs(std::log2(static_cast<double>(one.degree(axis)) / other.degree(axis)));
    return sum;
}

/// Legal meshes of so many ranks, the most similar first.
std::vector<MeshShape> similar_meshes(const MeshShape& asked, const MeshLimits& limits, int ranks) {
    std::vector<MeshShape> meshes = legal_meshes(limits, ranks);
    std::stable_sort(meshes.begin(), meshes.end(), [&](const MeshShape& one, const MeshShape& other) {
        const double near = distance(one, asked), far = distance(other, asked);
        if (std::abs(near - far) > 1e-9) return near < far;
        return num_axes(one) < num_axes(other);
    });
    return meshes;
}

/// Those of as many ranks first, then one of each of the nearest other numbers of ranks.
std::vector<std::string> nearest_meshes(const MeshShape& asked, const MeshLimits& limits) {
    std::vector<std::string> offers;
    const auto add = [&](int ranks, std::size_t most) {
        for (const MeshShape& mesh : similar_meshes(asked, limits, ranks)) {
            if (most-- == 0 || offers.size() == kMostOffers) return;
            offers.push_back(mesh_text(mesh));
        }
    };
    const int ranks = std::min(asked.ranks(), kMostOfferedRanks);
    if (ranks == asked.ranks()) add(ranks, kMostOffers - 1);
    for (int fewer = ranks - (ranks == asked.ranks() ? 1 : 0); fewer >= 1 && offers.size() < kMostOffers;
         --fewer)
        add(fewer, 1);
    return offers;
}

/// The nearest numbers of ranks, at most two, that have a legal mesh.
std::vector<std::string> nearest_ranks(int asked, const MeshLimits& limits) {
    std::vector<std::string> offers;
    for (int fewer = asked - 1; fewer >= 1 && offers.empty(); --fewer)
        if (!legal_meshes(limits, fewer).empty()) offers.push_back(number(fewer));
    for (int more = asked + 1; more <= kMostOfferedRanks && offers.size() < 2; ++more)
        if (!legal_meshes(limits, more).empty()) offers.push_back(number(more));
    return offers;
}

Error bad_ranks(const JobRequest& request, std::string needed, std::vector<std::string> nearest) {
    return make_error(ErrorCode::BadField, {{"field", "ranks"},
                                            {"found", std::int64_t{request.ranks}},
                                            {"needed", std::move(needed)},
                                            {"nearest", std::move(nearest)}});
}

std::vector<Error> request_faults(const JobRequest& request, const MeshLimits& limits) {
    if (request.mesh == "auto") {
        // Other numbers are refused by their range.
        if (request.ranks < 1 || request.ranks > kMaxMeshRanks) return {};
        if (!legal_meshes(limits, request.ranks).empty()) return {};
        return {bad_ranks(request, "a number of ranks that a mesh of this model has",
                          nearest_ranks(request.ranks, limits))};
    }
    const Result<MeshShape> shape = catch_errors([&] { return parse_mesh(request.mesh); });
    if (!shape) return {shape.error()};
    std::vector<Error> faults = shape_faults(*shape, limits);
    if (request.ranks != 0 && request.ranks != shape->ranks()) {
        const std::string ranks = number(shape->ranks());
        faults.push_back(bad_ranks(request, ranks + " for the mesh " + mesh_text(*shape), {ranks}));
    }
    return faults;
}

} // namespace

bool uses_guidance(const JobRequest& request) {
    return !request.guidance || *request.guidance > 1;
}

MeshLimits mesh_limits(const JobRequest& request, const FamilyRules& rules) {
    MeshLimits limits{0, rules.heads, rules.ffn_dim, rules.layers,
                      uses_guidance(request) ? rules.guidance_branches : 1};
    if (!request.width || !request.height || !request.frames || rules.token_rows == 0) return limits;
    // Sizes that are illegal themselves are told as such.
    const std::int64_t latent_frames = (*request.frames - 1) / rules.frame_stride + 1;
    limits.tokens = std::max<std::int64_t>(0, latent_frames / rules.token_frames) *
                    std::max<std::int64_t>(0, *request.height / rules.token_rows) *
                    std::max<std::int64_t>(0, *request.width / rules.token_columns);
    return limits;
}

std::vector<MeshShape> legal_meshes(const MeshLimits& limits, int ranks) {
    std::vector<MeshShape> meshes;
    for (int cfg = std::min(limits.branches, ranks); cfg >= 1; --cfg) {
        if (ranks % cfg != 0) continue;
        const int sequence = ranks / cfg;
        for (int ulysses = sequence; ulysses >= 1; --ulysses) {
            if (sequence % ulysses != 0) continue;
            for (int ring = sequence / ulysses; ring >= 1; --ring) {
                if (sequence / ulysses % ring != 0) continue;
                const MeshShape shape = make_shape(cfg, ulysses, ring, sequence / ulysses / ring);
                if (is_legal(shape, limits)) meshes.push_back(shape);
            }
        }
    }
    return meshes;
}

std::vector<Error> shape_faults(const MeshShape& shape, const MeshLimits& limits) {
    std::vector<Error> faults;
    const std::string mesh = mesh_text(shape);
    for (const Fault& fault : faults_of(shape, limits))
        faults.push_back(
            make_error(ErrorCode::MeshIllegal, {{"mesh", mesh},
                                                {"axis", std::string(axis_name(fault.axis))},
                                                {"found", std::int64_t{shape.degree(fault.axis)}},
                                                {"needed", fault.needed},
                                                {"nearest", nearest_meshes(shape, limits)}}));
    if (shape.degree(Axis::Pipe) > 1)
        faults.push_back(make_error(
            ErrorCode::MeshNotInBuild,
            {{"mesh", mesh}, {"axis", std::string("pipe")}, {"nearest", nearest_meshes(shape, limits)}}));
    return faults;
}

bool has_even_heads(const MeshShape& shape, const MeshLimits& limits) {
    return limits.heads % (shape.degree(Axis::Ulysses) * shape.degree(Axis::Tensor)) == 0;
}

std::vector<Error> mesh_faults(const JobRequest& request) {
    MeshLimits limits;
    limits.branches = uses_guidance(request) ? kGuidanceBranches : 1;
    return request_faults(request, limits);
}

std::vector<Error> mesh_faults(const JobRequest& request, const FamilyRules& rules) {
    return request_faults(request, mesh_limits(request, rules));
}

} // namespace reelmesh
