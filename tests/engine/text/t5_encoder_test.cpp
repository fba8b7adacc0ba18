#include "text/t5_encoder.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "support/golden.h"
#include "support/meta_kernels.h"
#include "support/single_rank.h"
#include "support/thread_counts.h"

namespace reelmesh {
namespace {

using testing::golden_path;
using testing::read_golden;
using testing::relative_l2;

at::Tensor encode(const TextEncoder& encoder, const std::vector<std::int64_t>& ids) {
    const c10::InferenceMode inference;
    testing::SingleRank rank;
    rank.context.enter(Stage::Text, -1, 0);
    return encoder.encode(ids, rank.context);
}

std::unique_ptr<TextEncoder> load_golden(const std::string& model, at::ScalarType dtype) {
    const ModelCard card = read_model_card(golden_path("models/" + model));
    const ComponentCard& files = card.component("text_encoder");
    return load_text_encoder(
        card,
        testing::load_component(files.folder, files.weights_stem, text_encoder_weights(card, dtype), dtype),
        dtype);
}

/// The ids of a run that its mask keeps.
std::vector<std::int64_t> kept_ids(const std::string& file, const std::string& run) {
    const std::vector<std::int64_t> ids = testing::read_golden_ids(file, run + ".ids");
    const std::vector<std::int64_t> mask = testing::read_golden_ids(file, run + ".mask");
    std::vector<std::int64_t> kept;
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (mask[i] == 1) kept.push_back(ids[i]);
    return kept;
}

struct Golden {
    std::string model;
    int runs;
};
class T5GoldenTest : public ::testing::TestWithParam<Golden> {
protected:
    std::string file_ = "components/umt5/" + GetParam().model;
    std::string run_name(int run) const { return "run" + std::to_string(run); }
};

/// LibTorch's meta device has no memory and refuses to mix with others.
TEST_P(T5GoldenTest, NothingLeavesTheDeviceOfTheWeights) {
    testing::add_meta_kernels();
    const ModelCard card = read_model_card(golden_path("models/" + GetParam().model));
    const auto encoder = load_text_encoder(
        card, testing::filled_weights(text_encoder_weights(card, at::kFloat)).on(at::kMeta), at::kFloat);
    const at::Tensor rows = encode(*encoder, {3, 5, 7, 1});
    EXPECT_EQ(rows.device().type(), at::kMeta);
    EXPECT_EQ(rows.size(0), 4);
}

TEST_P(T5GoldenTest, EveryRunEqualsTheReference) {
    const auto encoder = load_golden(GetParam().model, at::kFloat);
    for (int run = 0; run < GetParam().runs; ++run) {
        const double error = relative_l2(encode(*encoder, kept_ids(file_, run_name(run))),
                                         read_golden(file_, run_name(run) + ".output"));
        EXPECT_LE(error, 1e-5) << run;
    }
}

TEST_P(T5GoldenTest, DoesNotDependOnThreads) {
    const auto encoder = load_golden(GetParam().model, at::kFloat);
    for (int run = 0; run < GetParam().runs; ++run) {
        const std::vector<std::int64_t> ids = kept_ids(file_, run_name(run));
        testing::expect_same_for_all_thread_counts([&] { return encode(*encoder, ids); });
    }
}

TEST_P(T5GoldenTest, HalfPrecisionPointsTheSameWay) {
    for (const at::ScalarType dtype : {at::kBFloat16, at::kHalf}) {
        const auto encoder = load_golden(GetParam().model, dtype);
        for (int run = 0; run < GetParam().runs; ++run) {
            const at::Tensor result = encode(*encoder, kept_ids(file_, run_name(run)));
            EXPECT_EQ(result.scalar_type(), dtype);
            const at::Tensor actual = result.to(at::kDouble).flatten();
            const at::Tensor expected =
                read_golden(file_, run_name(run) + ".output").to(at::kDouble).flatten();
            EXPECT_GE((at::dot(actual, expected) / actual.norm() / expected.norm()).item<double>(), 0.9999);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Models, T5GoldenTest,
                         ::testing::Values(Golden{"wan21-t2v", 8}, Golden{"wan22-ti2v-5b", 2}),
                         [](const auto& info) {
                             std::string name = info.param.model;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(T5Bfloat16Test, ErrorIsAtMostOneAndAHalfTimesTheReferences) {
    const auto encoder = load_golden("wan21-t2v", at::kBFloat16);
    // rel_l2_to_float32 of the case.
    for (const auto& [prompt, reference] :
         {std::pair{"prompt", 0.009229291458158933}, {"negative_prompt", 0.010325378169819101}}) {
        const std::string name = prompt, embeds = name + "_embeds";
        const std::string file = "cases/t2v-bf16/prompt_ids";
        const std::vector<std::int64_t> mask = testing::read_golden_ids(file, name + "_mask");
        std::vector<std::int64_t> ids = testing::read_golden_ids(file, name + "_ids");
        ids.resize(static_cast<std::size_t>(std::ranges::count(mask, 1)));
        const at::Tensor expected = read_golden("cases/t2v-unipc/" + embeds, embeds)[0];
        const double error =
            relative_l2(encode(*encoder, ids), expected.narrow(0, 0, static_cast<std::int64_t>(ids.size())));
        EXPECT_LE(error, 1.5 * reference);
    }
}

T5Config small_config() {
    T5Config config;
    config.vocab_size = 40;
    config.d_model = 32;
    config.d_kv = 8;
    config.num_heads = 3;
    config.d_ff = 48;
    config.num_layers = 2;
    return config;
}

TEST(T5SelfTest, EqualsPrintedValues) {
    const std::vector<WeightSpec> specs = t5_weights(small_config(), at::kFloat);
    ASSERT_EQ(specs.size(), 22U);
    const T5Encoder encoder(small_config(), testing::filled_weights(specs), at::kFloat);
    const at::Tensor result = encode(encoder, {5, 17, 3, 29, 8, 1});
    ASSERT_EQ(result.sizes(), (std::vector<std::int64_t>{6, 32}));
    EXPECT_NEAR(result.norm().item<double>() / 13.7863470, 1, 1e-5);
    EXPECT_NEAR(result.mean().item<double>(), -5.20266917e-3, 1e-4);
    EXPECT_NEAR(result.abs().max().item<double>(), 1.644759, 1e-4);
    const std::vector<float> first{-1.516667F, 1.265644F,  -0.5667677F, -0.05132808F,
                                   0.8935281F, -1.080606F, 1.348165F,   -0.8902445F};
    const std::vector<float> last{-0.7879819F, 1.403278F, -1.335808F, 1.213272F};
    EXPECT_TRUE(at::allclose(result[0].narrow(0, 0, 8), at::tensor(first), 0, 1e-4));
    EXPECT_TRUE(at::allclose(result[5].narrow(0, 28, 4), at::tensor(last), 0, 1e-4));
}

TEST(T5SelfTest, WrongEpsMisses) {
    T5Config wrong = small_config();
    wrong.layer_norm_epsilon = 1e-3;
    const std::vector<WeightSpec> specs = t5_weights(wrong, at::kFloat);
    const T5Encoder encoder(wrong, testing::filled_weights(specs), at::kFloat);
    EXPECT_GT(std::abs(encode(encoder, {5, 17, 3, 29, 8, 1}).norm().item<double>() / 13.7863470 - 1), 1e-4);
}

TEST(T5BucketTest, EqualsTheKnownTable) {
    for (const auto& [distance, bucket] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {0, 0},    {1, 17},   {-1, 1},   {8, 24},   {-12, 9},   {16, 26},  {-16, 10}, {20, 26},
             {23, 27},  {45, 28},  {46, 29},  {91, 31},  {-128, 15}, {200, 31}, {-7, 7},   {-8, 8},
             {-22, 10}, {-31, 11}, {-32, 12}, {-63, 13}, {-64, 14},  {-90, 14}})
        EXPECT_EQ(relative_position_bucket(distance, 32, 128), bucket) << distance;
}

TEST(T5BucketTest, OtherSizesFollowTheFormula) {
    // buckets 16: exact below 4, then 4 + trunc(ln(n / 4) / ln(64 / 4) * 4).
    for (const auto& [distance, bucket] : std::vector<std::pair<std::int64_t, std::int64_t>>{
             {-3, 3}, {-4, 4}, {-7, 4}, {-9, 5}, {-15, 5}, {-17, 6}, {-33, 7}, {-1000, 7}, {3, 11}, {17, 14}})
        EXPECT_EQ(relative_position_bucket(distance, 16, 64), bucket) << distance;
}

TEST(T5WeightsTest, PrecisionsFollowTheLoadedType) {
    const auto islands = [](at::ScalarType dtype) {
        std::set<std::string> names;
        for (const WeightSpec& spec : t5_weights(small_config(), dtype))
            if (spec.precision == WeightPrecision::Float32) names.insert(spec.name);
        return names;
    };
    EXPECT_EQ(islands(at::kHalf),
              (std::set<std::string>{"encoder.block.0.layer.1.DenseReluDense.wo.weight",
                                     "encoder.block.1.layer.1.DenseReluDense.wo.weight"}));
    EXPECT_TRUE(islands(at::kBFloat16).empty());
}

TEST(T5WeightsTest, TheTiedEmbeddingMayHaveEitherName) {
    const std::vector<WeightSpec> specs = t5_weights(small_config(), at::kFloat);
    EXPECT_EQ(specs.front().name, "shared.weight");
    EXPECT_EQ(specs.front().alternative_name, "encoder.embed_tokens.weight");
    T5Config real = small_config();
    real.num_layers = 24;
    EXPECT_EQ(t5_weights(real, at::kFloat).size(), 242U);
}

TEST(T5HalfTest, OverflowIsClippedInsteadOfSpreading) {
    WeightMap weights;
    for (const WeightSpec& spec : t5_weights(small_config(), at::kHalf)) {
        at::manual_seed(7);
        const at::Tensor weight = at::randn(spec.shape);
        // Attention's output leaves the range of float16 in the first layer.
        const bool huge = spec.name == "encoder.block.0.layer.0.SelfAttention.o.weight";
        weights.put(spec.name, (huge ? weight * 2e4 : weight)
                                   .to(spec.precision == WeightPrecision::Float32 ? at::kFloat : at::kHalf));
    }
    const T5Encoder encoder(small_config(), std::move(weights), at::kHalf);
    EXPECT_TRUE(at::isfinite(encode(encoder, {5, 17, 3, 1})).all().item<bool>());
}

} // namespace
} // namespace reelmesh
