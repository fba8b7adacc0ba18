#include "models/wan/run.h"

#include <ATen/ops/full.h>

#include "base/check.h"
#include "ops/rotary_3d.h"

namespace reelmesh::wan {

Run::Run(const std::vector<std::shared_ptr<const Transformer>>& experts, const WanTransformerConfig& config,
         const FamilyDescription& description, const std::vector<BranchContexts>& branches,
         RankContext& context)
    : contexts_(experts.size()) {
    for (const auto& expert : experts)
        experts_.push_back(expert->share(context));
    const LatentStream& video = description.streams.front();
    const SequenceSplit split(video.tokens(), context);
    phases_ = ops::rotary_3d_phases(video.token_grid, config.attention_head_dim)
                  .narrow(0, split.first(), split.count())
                  .to(context.device());
    buffers_ = experts_.front()->make_buffers(split, context);
    for (std::size_t expert = 0; expert < experts_.size(); ++expert)
        for (std::size_t branch = 0; branch < branches.size(); ++branch) {
            if (branches[branch].empty()) continue;
            context.scope().expert = static_cast<std::int16_t>(expert);
            context.scope().branch = static_cast<std::int16_t>(branch);
            contexts_[expert][static_cast<int>(branch)] =
                experts_[expert]->project_context(branches[branch].front(), context);
        }
}

std::vector<at::Tensor> Run::velocity(const StepPoint& point, int branch,
                                      const std::vector<at::Tensor>& streams, RankContext& context) {
    const auto expert = static_cast<std::size_t>(point.expert);
    REELMESH_CHECK(expert < experts_.size() && contexts_[expert].contains(branch));
    context.scope().expert = static_cast<std::int16_t>(point.expert);
    const at::Tensor& latents = streams.front();
    const TokenTimes times{at::full({1}, point.timestep, at::kFloat), {}};
    return {experts_[expert]->velocity(latents, times, phases_, contexts_[expert].at(branch), buffers_,
                                       context, branch)};
}

} // namespace reelmesh::wan
