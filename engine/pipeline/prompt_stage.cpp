#include "pipeline/prompt_stage.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "request/mesh_rules.h"
#include "text/prompt_cleaning.h"
#include "weights/tensor_io.h"

namespace reelmesh {
namespace {

constexpr const char* kEmbedKeys[] = {"prompt_embeds", "negative_prompt_embeds"};

/// Rows behind the prompt are exactly zero.
at::Tensor padded(const at::Tensor& rows, std::int64_t tokens) {
    at::Tensor whole = at::zeros({tokens, rows.size(1)}, rows.options());
    whole.narrow(0, 0, rows.size(0)).copy_(rows);
    return whole;
}

Tokens tokenize_branch(const GenerateTask& task, const LoadedModel& model, int branch,
                       std::vector<std::string>& notices) {
    const std::string text =
        clean_prompt(branch == 0 ? task.request.prompt : task.request.negative_prompt.value_or(""));
    Tokens tokens = model.tokenizer->tokenize(text, task.rules.text_tokens);
    if (tokens.cut_byte >= 0)
        notices.push_back(std::string(branch == 0 ? "prompt" : "negative prompt") + " has " +
                          std::to_string(tokens.count) + " tokens, the last " +
                          std::to_string(tokens.count - static_cast<std::int64_t>(tokens.ids.size())) +
                          " are not used (cut at byte " + std::to_string(tokens.cut_byte) + ")");
    return tokens;
}

/// The rank that encodes a branch: the first of those that compute it; branches that all ranks compute are
/// dealt out. What it leaves lies in the memory that all ranks of the process share.
int text_rank(int branch, const MeshShape& shape) {
    if (shape.degree(Axis::Cfg) > 1) return shape.neighbour(0, Axis::Cfg, branch);
    return branch % shape.ranks();
}

void save(const std::string& path, const std::vector<BranchContexts>& contexts) {
    std::vector<std::pair<std::string, at::Tensor>> tensors;
    for (std::size_t branch = 0; branch < contexts.size(); ++branch)
        tensors.emplace_back(kEmbedKeys[branch], contexts[branch].front().to(at::kFloat).unsqueeze(0));
    write_tensors(path, tensors);
}

} // namespace

int guidance_branches(const JobRequest& request, const FamilyDescription& description) {
    return uses_guidance(request) ? description.guidance_branches : 1;
}

std::vector<BranchContexts> encode_prompts(const GenerateTask& task, const LoadedModel& model,
                                           const FamilyDescription& description, MeshRunner& mesh,
                                           JobHooks& hooks, std::vector<std::string>& notices) {
    const int branches = guidance_branches(task.request, description);
    const std::string files[] = {task.options.prompt_embeds, task.options.negative_embeds};
    const ContextInput& input = description.contexts.front();

    std::vector<BranchContexts> contexts(static_cast<std::size_t>(branches));
    std::vector<Tokens> tokens(contexts.size());
    for (int branch = 0; branch < branches; ++branch) {
        const auto b = static_cast<std::size_t>(branch);
        if (files[b].empty()) {
            tokens[b] = tokenize_branch(task, model, branch, notices);
            hooks.log(LogLevel::Info, std::string(branch == 0 ? "prompt: " : "negative prompt: ") +
                                          std::to_string(tokens[b].count) + " of " +
                                          std::to_string(task.rules.text_tokens) + " tokens");
        } else
            contexts[b] = {read_tensor(files[b], kEmbedKeys[b], {1, input.tokens, input.width}).squeeze(0)};
    }

    mesh.run([&](RankContext& context) {
        int position = 0;
        for (int branch = 0; branch < branches; ++branch) {
            BranchContexts& mine = contexts[static_cast<std::size_t>(branch)];
            if (!mine.empty() || text_rank(branch, context.shape()) != context.rank()) continue;
            context.enter(Stage::Text, -1, position++ * static_cast<int>(task.card.text_encoder.num_layers));
            const TextEncoder& encoder = *model.on(context.device()).text_encoder;
            mine = {padded(encoder.encode(tokens[static_cast<std::size_t>(branch)].ids, context).cpu(),
                           input.tokens)};
        }
    });
    if (!task.options.save_embeds.empty()) save(task.options.save_embeds, contexts);
    return contexts;
}

} // namespace reelmesh
