#include "models/wan/wan_family.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "base/check.h"
#include "engine/block_part.h"
#include "models/token_layout.h"
#include "models/wan/weight_names.h"
#include "support/golden.h"
#include "support/single_rank.h"

namespace reelmesh {
namespace {

using testing::golden_path;
using testing::read_golden;
using testing::relative_l2;

JobRequest request_of(std::int64_t width, std::int64_t height, std::int64_t frames) {
    JobRequest request;
    request.width = width;
    request.height = height;
    request.frames = frames;
    return request;
}

ModelCard real_card(std::int64_t heads, std::int64_t layers, std::int64_t feed) {
    ModelCard card;
    card.transformer.num_attention_heads = heads;
    card.transformer.num_layers = layers;
    card.transformer.ffn_dim = feed;
    return card;
}

TEST(WanFamilyTest, DescribesStreamsOfBothAutoencoders) {
    const Family& family = find_family("wan");
    const FamilyDescription t2v = family.describe(real_card(12, 30, 8960), request_of(832, 480, 81));
    ASSERT_EQ(t2v.streams.size(), 1U);
    EXPECT_EQ(t2v.streams[0].shape, (std::vector<std::int64_t>{16, 21, 60, 104}));
    EXPECT_EQ(t2v.streams[0].tokens(), 32760);
    EXPECT_EQ(t2v.streams[0].token_width(), 64);
    EXPECT_EQ(t2v.blocks, 30);
    ASSERT_EQ(t2v.contexts.size(), 1U);
    EXPECT_EQ(t2v.contexts[0].tokens, 512);

    ModelCard card = real_card(24, 30, 14336);
    card.transformer.in_channels = card.transformer.out_channels = 48;
    card.vae.scale_factor_spatial = 16;
    const FamilyDescription ti2v = family.describe(card, request_of(1280, 704, 121));
    EXPECT_EQ(ti2v.streams[0].shape, (std::vector<std::int64_t>{48, 31, 44, 80}));
    EXPECT_EQ(ti2v.streams[0].tokens(), 27280);
}

TEST(WanFamilyTest, MultiplyAddsOfRealModels) {
    // Tera-operations, two a multiply-add: one forward and, once a job, the text's keys and values. The
    // published figures leave out the patch embedding and the head, less than 0.1.
    const auto tera = [](const ModelCard& card, std::int64_t width, std::int64_t height) {
        const auto inner = static_cast<double>(card.transformer.width());
        const auto layers = static_cast<double>(card.transformer.num_layers);
        const CostFigures cost = find_family("wan").describe(card, request_of(width, height, 81)).cost;
        return 2e-12 * (cost.multiply_adds + 2 * 512 * inner * inner * layers);
    };
    EXPECT_NEAR(tera(real_card(12, 30, 8960), 832, 480), 282.98, 0.1);
    EXPECT_NEAR(tera(real_card(40, 40, 13824), 832, 480), 1678.28, 0.1);
    EXPECT_NEAR(tera(real_card(40, 40, 13824), 1280, 720), 6523.29, 0.1);
}

TEST(WanFamilyTest, ExpertsChangeAtTheBoundary) {
    ModelCard card = read_model_card(golden_path("models/wan22-a14b"));
    const wan::WanFamily family;
    FamilyDescription description = family.describe(card, request_of(48, 32, 5));
    ASSERT_EQ(description.experts.size(), 2U);
    EXPECT_EQ(description.experts[0].component, "transformer");
    EXPECT_EQ(description.experts[0].minimum_timestep, 875);
    EXPECT_FALSE(description.experts[0].low_noise);
    EXPECT_EQ(description.experts[1].component, "transformer_2");
    EXPECT_TRUE(description.experts[1].low_noise);
    EXPECT_EQ(family.weights(card).size(), 2U);

    JobRequest request = request_of(48, 32, 5);
    request.boundary = 0.5;
    EXPECT_EQ(family.describe(card, request).experts[0].minimum_timestep, 500);

    card.boundary_ratio.reset();
    EXPECT_EQ(family.describe(card, request_of(48, 32, 5)).experts.size(), 1U);
    EXPECT_EQ(family.weights(card).size(), 1U);
}

TEST(WanFamilyTest, UnknownFamilyIsAnInternalError) {
    EXPECT_THROW(find_family("flux"), EngineException);
}

TEST(WanWeightsTest, RealModelsHaveTheKnownNumberOfTensors) {
    WanTransformerConfig config;
    EXPECT_EQ(wan::transformer_weights(config).size(), 1095U);
    config.num_layers = 30;
    EXPECT_EQ(wan::transformer_weights(config).size(), 825U);
    config.cross_attn_norm = false;
    EXPECT_EQ(wan::transformer_weights(config).size(), 825U - 60);
}

TEST(WanWeightsTest, TheFloat32IslandsAreThePolicy) {
    WanTransformerConfig config;
    config.num_layers = 1;
    std::set<std::string> islands;
    for (const WeightSpec& spec : wan::transformer_weights(config))
        if (spec.precision == WeightPrecision::Float32) islands.insert(spec.name);
    const std::set<std::string> policy{
        "blocks.0.norm2.bias",
        "blocks.0.norm2.weight",
        "blocks.0.scale_shift_table",
        "condition_embedder.time_embedder.linear_1.bias",
        "condition_embedder.time_embedder.linear_1.weight",
        "condition_embedder.time_embedder.linear_2.bias",
        "condition_embedder.time_embedder.linear_2.weight",
        "scale_shift_table",
    };
    EXPECT_EQ(islands, policy);
}

class WanRunTest : public ::testing::Test {
protected:
    ModelCard card_ = read_model_card(golden_path("models/wan22-ti2v-5b"));
    const Family& family_ = find_family("wan");
    FamilyDescription description_ = family_.describe(card_, request_of(64, 64, 5));
    mutable testing::SingleRank rank_;

    std::unique_ptr<DiffusionRun> prepare(const std::vector<BranchContexts>& branches) const {
        std::map<std::string, WeightMap> weights;
        for (const ComponentWeights& component : family_.weights(card_)) {
            const ComponentCard& files = card_.component(component.component);
            weights[component.component] =
                testing::load_component(files.folder, files.weights_stem, component.specs, at::kFloat);
        }
        return family_.load(card_, std::move(weights), at::kFloat)
            ->prepare(description_, branches, rank_.context);
    }
    at::Tensor context(const std::string& name) const {
        return read_golden("cases/ti2v-5b-t2v/" + name, name)[0];
    }
    at::Tensor velocity(DiffusionRun& run, int branch) {
        const std::string file = "cases/ti2v-5b-t2v/velocity";
        const at::Tensor latents = read_golden(file, "model_input")[0];
        StepPoint point;
        point.timestep = read_golden(file, "timestep").flatten()[0].item<double>();
        rank_.context.enter(Stage::Denoise, 0, branch * description_.blocks);
        const c10::InferenceMode inference;
        const at::Tensor tokens = to_tokens(latents, description_.streams[0].patch);
        return from_tokens(run.velocity(point, branch, {tokens}, rank_.context).front(),
                           description_.streams[0].shape, description_.streams[0].patch);
    }
};

TEST_F(WanRunTest, BothBranchesEqualTheReference) {
    const auto run = prepare({{context("prompt_embeds")}, {context("negative_prompt_embeds")}});
    const std::string file = "cases/ti2v-5b-t2v/velocity";
    EXPECT_LE(relative_l2(velocity(*run, 0), read_golden(file, "cond")), 1e-5);
    EXPECT_LE(relative_l2(velocity(*run, 1), read_golden(file, "uncond")), 1e-5);
    std::vector<TelemetryEvent> events;
    rank_.writer.drain(events);
    EXPECT_EQ(events.size(), 2U * static_cast<std::size_t>(description_.blocks));
    EXPECT_EQ(events.front().kind, EventKind::Block);
    EXPECT_EQ(events.back().detail, 1);
}

TEST_F(WanRunTest, DetailDecidesWhatIsRecorded) {
    const auto run = prepare({{context("prompt_embeds")}, {}});
    at::Tensor without;
    for (const int detail : {0, 1, 2}) {
        rank_.context.scope().detail = detail;
        const at::Tensor result = velocity(*run, 0);
        if (!without.defined()) without = result;
        EXPECT_TRUE(at::equal(result, without)); // to the bit
        std::vector<TelemetryEvent> events;
        rank_.writer.drain(events);
        std::map<EventKind, std::int64_t> count;
        std::set<BlockPart> parts;
        const TelemetryEvent* block = nullptr;
        for (const TelemetryEvent& event : events)
            if (event.kind == EventKind::Block && event.block == 0) block = &event;
        for (const TelemetryEvent& event : events) {
            ++count[event.kind];
            EXPECT_LE(event.start_ns, event.end_ns);
            if (event.kind != EventKind::Part || event.block != 0) continue;
            parts.insert(static_cast<BlockPart>(event.detail));
            EXPECT_GE(event.start_ns, block->start_ns);
            EXPECT_LE(event.end_ns, block->end_ns);
        }
        EXPECT_EQ(count[EventKind::Block], detail >= 1 ? description_.blocks : 0);
        if (detail < 2) {
            EXPECT_EQ(count[EventKind::Part], 0);
            continue;
        }
        EXPECT_EQ(parts, (std::set{BlockPart::Norm, BlockPart::QkvLinear, BlockPart::SelfAttention,
                                   BlockPart::OutLinear, BlockPart::CrossAttention, BlockPart::Mlp}));
    }
}

TEST_F(WanRunTest, ABranchOfAnotherRankIsNotNeeded) {
    const auto run = prepare({{}, {context("negative_prompt_embeds")}});
    EXPECT_LE(relative_l2(velocity(*run, 1), read_golden("cases/ti2v-5b-t2v/velocity", "uncond")), 1e-5);
    EXPECT_THROW(velocity(*run, 0), EngineException);
}

TEST_F(WanRunTest, StopsAtTheGate) {
    const auto run = prepare({{context("prompt_embeds")}, {}});
    rank_.gate.cancel();
    try {
        velocity(*run, 0);
        FAIL() << "ran past the gate";
    } catch (const EngineException& exception) {
        EXPECT_EQ(exception.error().code, ErrorCode::Canceled);
    }
}

} // namespace
} // namespace reelmesh
