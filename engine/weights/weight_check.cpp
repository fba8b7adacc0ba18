#include "base/check.h"
#include "weights/convert.h"
#include "weights/dtype.h"
#include "weights/loader.h"
#include "weights/stored_weight.h"

#include <cstdint>
#include <set>
#include <string_view>

namespace reelmesh {
namespace {

/// Why the files cannot give a needed weight; "" if they can.
std::string problem_of(const WeightSpec& spec, const StoredWeight& stored) {
    if (!stored.entry) return spec.name + " is missing";
    if (stored.entry->shape != spec.shape)
        return stored.name + " is " + shape_text(stored.entry->shape) + ", needed " + shape_text(spec.shape);
    if (stored.entry->num_bytes() == 0) return stored.name + " is empty";
    if (!readable_type(stored.entry->dtype))
        return stored.name + " is stored as " + stored.entry->dtype + ", which this build does not read";
    return {};
}

} // namespace

StoredWeight find_weight(const WeightSpec& spec, const ComponentFiles& files) {
    for (const std::string* name : {&spec.name, &spec.alternative_name})
        if (const auto found = files.tensors().find(*name); !name->empty() && found != files.tensors().end())
            return {found->first, &found->second};
    return {spec.name, nullptr};
}

WeightCheck check_weights(const std::vector<WeightSpec>& specs, const ComponentFiles& files) {
    WeightCheck check;
    std::set<std::string_view> known;
    for (const WeightSpec& spec : specs) {
        known.insert(spec.name);
        known.insert(spec.alternative_name);
        const StoredWeight stored = find_weight(spec, files);
        if (std::string problem = problem_of(spec, stored); !problem.empty()) {
            check.problems.push_back(std::move(problem));
            continue;
        }
        std::uint64_t elements = 1;
        for (const std::int64_t dimension : spec.shape)
            elements *= static_cast<std::uint64_t>(dimension);
        check.parameters += elements;
    }
    for (const auto& [name, entry] : files.tensors())
        if (!known.contains(name)) check.unmatched.push_back(name);
    return check;
}

void require_weights(const std::vector<WeightSpec>& specs, const ComponentFiles& files) {
    const WeightCheck check = check_weights(specs, files);
    if (!check.problems.empty())
        fail(ErrorCode::WeightMismatch, {{"file", files.main_file()}, {"problems", check.problems}});
}

} // namespace reelmesh
