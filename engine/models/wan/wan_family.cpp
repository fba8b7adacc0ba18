#include "models/wan/wan_family.h"

#include <utility>

#include "models/wan/run.h"
#include "models/wan/weight_names.h"
#include "ops/fixed_tiles.h"

namespace reelmesh::wan {

namespace {

// The text's length is part of the model: embedded zeros behind the prompt take part in attention.
constexpr std::int64_t kTextTokens = 512;
constexpr std::uint64_t kFloatBytes = 4;

bool has_two_experts(const ModelCard& card) {
    return card.transformer_2 && card.boundary_ratio;
}

std::vector<std::pair<std::string, WanTransformerConfig>> components(const ModelCard& card) {
    std::vector<std::pair<std::string, WanTransformerConfig>> list{{"transformer", card.transformer}};
    if (has_two_experts(card)) list.emplace_back("transformer_2", *card.transformer_2);
    return list;
}

LatentStream video_stream(const ModelCard& card, const JobRequest& request) {
    LatentStream stream;
    stream.name = "video";
    stream.patch = card.transformer.patch_size;
    stream.shape = {card.transformer.out_channels,
                    (request.frames.value() - 1) / card.vae.scale_factor_temporal + 1,
                    request.height.value() / card.vae.scale_factor_spatial,
                    request.width.value() / card.vae.scale_factor_spatial};
    for (std::size_t axis = 0; axis < 3; ++axis)
        stream.token_grid[axis] = stream.shape[axis + 1] / stream.patch[axis];
    return stream;
}

std::vector<Expert> experts(const ModelCard& card, const JobRequest& request) {
    if (!has_two_experts(card)) return {{"transformer", 0, false}};
    const double boundary = request.boundary.value_or(*card.boundary_ratio);
    return {{"transformer", boundary * static_cast<double>(card.scheduler.num_train_timesteps), false},
            {"transformer_2", 0, true}};
}

CostFigures cost(const ModelCard& card, const LatentStream& video) {
    const WanTransformerConfig& config = card.transformer;
    const auto tokens = static_cast<double>(video.tokens()), width = static_cast<double>(config.width());
    const auto layers = static_cast<double>(config.num_layers), feed = static_cast<double>(config.ffn_dim);
    const auto patch = static_cast<double>(video.token_width());
    CostFigures figures;
    // Self-attention's four projections, the text's query and output, both products of both attentions,
    // feed-forward.
    figures.multiply_adds =
        layers * tokens * (6 * width * width + 2 * (tokens + kTextTokens) * width + 2 * feed * width) +
        2 * tokens * patch * width;
    // Hidden, query, key, value and attended of all tokens, the velocity, and a block of rows inside a layer.
    figures.activation_bytes =
        kFloatBytes * static_cast<std::uint64_t>(video.tokens() * (5 * config.width() + video.token_width()) +
                                                 ops::kRowBlock * (config.ffn_dim + 4 * config.width()));
    const std::uint64_t experts = components(card).size();
    figures.context_bytes = kFloatBytes * experts *
                            static_cast<std::uint64_t>(2 * config.num_layers * kTextTokens * config.width());
    return figures;
}

TransformerShape shape(const WanTransformerConfig& config) {
    // A block sums the outputs of both attentions and of the feed-forward layer.
    constexpr std::int64_t kReducesPerBlock = 3;
    TransformerShape shape{config.width(), config.num_attention_heads, config.attention_head_dim,
                           config.ffn_dim, config.num_layers};
    shape.text_tokens = kTextTokens;
    shape.tensor_reduces_per_forward = kReducesPerBlock * config.num_layers;
    shape.norm_over_heads = true;
    return shape;
}

class WanModel : public DiffusionModel {
public:
    WanModel(const WanTransformerConfig& config, std::vector<std::shared_ptr<const Transformer>> experts)
        : config_(config), experts_(std::move(experts)) {}

    std::unique_ptr<DiffusionRun> prepare(const FamilyDescription& description,
                                          const std::vector<BranchContexts>& branches,
                                          RankContext& context) const override {
        return std::make_unique<Run>(experts_, config_, description, branches, context);
    }

private:
    WanTransformerConfig config_;
    std::vector<std::shared_ptr<const Transformer>> experts_;
};

} // namespace

FamilyDescription WanFamily::describe(const ModelCard& card, const JobRequest& request) const {
    FamilyDescription description;
    description.shape = shape(card.transformer);
    description.streams = {video_stream(card, request)};
    description.contexts = {{"text", ContextKind::Text, kTextTokens, card.transformer.text_dim}};
    description.guidance_branches = 2;
    description.experts = experts(card, request);
    description.blocks = static_cast<int>(card.transformer.num_layers);
    description.cost = cost(card, description.streams.front());
    description.text_encoder = "umt5";
    description.vae = "wan";
    return description;
}

std::vector<ComponentWeights> WanFamily::weights(const ModelCard& card) const {
    std::vector<ComponentWeights> list;
    for (const auto& [name, config] : components(card))
        list.push_back({name, transformer_weights(config)});
    return list;
}

std::shared_ptr<const DiffusionModel>
WanFamily::load(const ModelCard& card, std::map<std::string, WeightMap> weights, at::ScalarType dtype) const {
    std::vector<std::shared_ptr<const Transformer>> experts;
    for (const auto& [name, config] : components(card))
        experts.push_back(std::make_shared<Transformer>(config, std::move(weights.at(name)), dtype));
    return std::make_shared<WanModel>(card.transformer, std::move(experts));
}

} // namespace reelmesh::wan
