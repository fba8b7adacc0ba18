#include "models/wan/run.h"

#include <ATen/ops/full.h>

#include "base/check.h"
#include "ops/rotary_3d.h"

namespace reelmesh::wan {

Run::Run(std::vector<std::shared_ptr<const Transformer>> experts, const WanTransformerConfig& config,
         const FamilyDescription& description, const std::vector<BranchContexts>& branches)
    : experts_(std::move(experts)), contexts_(experts_.size()) {
    const LatentStream& video = description.streams.front();
    phases_ = ops::rotary_3d_phases(video.token_grid, config.attention_head_dim);
    buffers_ = experts_.front()->make_buffers(video.tokens());
    for (std::size_t expert = 0; expert < experts_.size(); ++expert)
        for (std::size_t branch = 0; branch < branches.size(); ++branch)
            if (!branches[branch].empty())
                contexts_[expert][static_cast<int>(branch)] =
                    experts_[expert]->project_context(branches[branch].front());
}

std::vector<at::Tensor> Run::velocity(const StepPoint& point, int branch,
                                      const std::vector<at::Tensor>& streams, RankContext& context) {
    const auto expert = static_cast<std::size_t>(point.expert);
    REELMESH_CHECK(expert < experts_.size() && contexts_[expert].contains(branch));
    const at::Tensor& latents = streams.front();
    const TokenTimes times{at::full({1}, point.timestep, latents.options()), {}};
    return {experts_[expert]->velocity(latents, times, phases_, contexts_[expert].at(branch), buffers_,
                                       context, branch)};
}

} // namespace reelmesh::wan
