// One job of a Wan model on one rank: contexts and rotary phases made once, buffers for the tokens.
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "models/family.h"
#include "models/wan/transformer.h"

namespace reelmesh::wan {

class Run : public DiffusionRun {
public:
    /// experts in the order of description.experts, with all heads.
    Run(const std::vector<std::shared_ptr<const Transformer>>& experts, const WanTransformerConfig& config,
        const FamilyDescription& description, const std::vector<BranchContexts>& branches,
        RankContext& context);

    std::vector<at::Tensor> velocity(const StepPoint& point, int branch,
                                     const std::vector<at::Tensor>& streams, RankContext& context) override;

private:
    std::vector<std::shared_ptr<const Transformer>> experts_; ///< the rank's shares
    /// By expert, then branch, then block.
    std::vector<std::map<int, std::vector<KeysAndValues>>> contexts_;
    at::Tensor phases_;
    TokenBuffers buffers_;
};

} // namespace reelmesh::wan
