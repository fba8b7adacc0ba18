// The Wan family: text to video with one transformer or two experts. Pure, any thread.
#pragma once

#include "models/family.h"

namespace reelmesh::wan {

class WanFamily : public Family {
public:
    std::string_view name() const override { return "wan"; }
    FamilyDescription describe(const ModelCard& card, const JobRequest& request) const override;
    std::vector<ComponentWeights> weights(const ModelCard& card) const override;
    std::shared_ptr<const DiffusionModel> load(const ModelCard& card,
                                               std::map<std::string, WeightMap> weights,
                                               at::ScalarType dtype) const override;
};

} // namespace reelmesh::wan
