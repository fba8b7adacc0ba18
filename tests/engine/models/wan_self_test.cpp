// The printed values of small models with rule-made weights.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <vector>

#include "nn/timestep_code.h"
#include "support/meta_kernels.h"
#include "support/printed_values.h"
#include "support/thread_counts.h"
#include "wan_fixture.h"

namespace reelmesh {
namespace {

using testing::WanModelUnderTest;
using testing::wave_input;

WanTransformerConfig small_config() {
    WanTransformerConfig config;
    config.num_attention_heads = 2;
    config.attention_head_dim = 32;
    config.in_channels = config.out_channels = 4;
    config.text_dim = 24;
    config.freq_dim = 32;
    config.ffn_dim = 96;
    config.num_layers = 2;
    return config;
}

class WanSelfTest : public ::testing::Test {
protected:
    WanModelUnderTest model_{small_config(),
                             testing::filled_weights(wan::transformer_weights(small_config()))};
    at::Tensor latents_ = wave_input({4, 3, 4, 6}), text_ = wave_input({7, 24}, 0.05, 0.2);
};

/// Held by LibTorch's meta device, which has no memory and refuses to mix with others.
TEST_F(WanSelfTest, NothingLeavesTheDeviceOfTheWeights) {
    testing::add_meta_kernels();
    const WanModelUnderTest elsewhere(
        small_config(), testing::filled_weights(wan::transformer_weights(small_config())).on(at::kMeta));
    const at::Tensor phases = ops::rotary_3d_phases(model_.grid(latents_), 32).to(at::kMeta);
    const at::Tensor velocity = elsewhere.velocity(
        {latents_.to(at::kMeta), at::full({1}, 999.0, at::kFloat), text_.to(at::kMeta)}, phases);
    EXPECT_EQ(velocity.device().type(), at::kMeta);
    EXPECT_EQ(velocity.sizes(), latents_.sizes());
}

TEST_F(WanSelfTest, StagesOfModelA) {
    const c10::InferenceMode inference;
    const wan::Transformer& transformer = model_.transformer();
    const wan::TimeCodes codes = transformer.embed_times({at::full({1}, 999.0, at::kFloat), {}});
    testing::expect_printed(codes.embedding,
                            {-1.70704306e-3,
                             1.67138410,
                             {-0.3168921, -0.2339543, 0.1144315, 0.09840683, -0.2469132, -0.2843239},
                             {-0.00774245, -0.1695937, 0.1263462, 0.3607112}});
    testing::expect_printed(codes.modulation,
                            {9.48400981e-4,
                             3.33814446,
                             {-0.1433534, -0.1073001, 0.2085231, 0.2897424, 0.01788336, -0.1239489},
                             {0.05836174, -0.1987872, -0.07552965, 0.150721}});
    const at::Tensor text = transformer.project_text(text_);
    testing::expect_printed(text, {3.26760122e-3,
                                   2.84314786,
                                   {-0.1854577, -0.1904452, 0.01017799, 0.106553},
                                   {0.1099203, -0.03022274, -0.009696662, 0.08370373}});
    const at::Tensor phases = ops::rotary_3d_phases({3, 2, 3}, 32);
    testing::expect_printed(
        at::real(phases).repeat_interleave(2, -1),
        {0.903236294, 22.8402383, {1, 1, 1, 1}, {0.9999683, 0.9999683, 0.9999992, 0.9999992}});
    testing::expect_printed(
        at::imag(phases).repeat_interleave(2, -1),
        {0.133587033, 7.37044846, {0, 0, 0, 0}, {0.007962059, 0.007962059, 0.001261914, 0.001261914}});
    testing::SingleRank rank;
    const wan::TokenBuffers buffers = transformer.make_buffers(SequenceSplit(18, rank.context), rank.context);
    transformer.embed_patches(buffers.hidden, to_tokens(latents_, {1, 2, 2}));
    testing::expect_printed(buffers.hidden,
                            {5.18398198e-3,
                             47.0261000,
                             {-1.769071, -1.970209, -1.914289, -1.608435, -1.092397, -0.4333985},
                             {1.915775, 1.733012, 1.324037, 0.7420413}});
    transformer.blocks()[0].forward(
        buffers, codes, phases, transformer.blocks()[0].project_context(text, rank.context), rank.context);
    testing::expect_printed(buffers.hidden,
                            {-9.73744409e-3,
                             47.6810628,
                             {-2.001019, -1.645942, -1.542212, -1.610541, -1.335608, -0.188362},
                             {1.484713, 1.499001, 1.548069, 0.9937594}});
}

TEST_F(WanSelfTest, OutputOfModelA) {
    testing::expect_printed(
        model_.velocity({latents_, at::full({1}, 999.0, at::kFloat), text_}),
        {9.33962797e-4,
         62.6690939,
         {-5.078525, -5.189997, -4.48524, -5.041327, -3.705666, -4.673989, -4.257843, -2.532202},
         {2.145508, 3.776774, 1.022838, 2.873439}});
}

TEST_F(WanSelfTest, OutputOfModelBWithATimePerToken) {
    const at::Tensor times = at::cat({at::zeros({6}), at::full({12}, 500.0)});
    testing::expect_printed(
        model_.velocity({latents_, times, text_}),
        {2.20425637e-3,
         62.7176144,
         {-5.053319, -5.184782, -4.467439, -5.044521, -3.694426, -4.683509, -4.27376, -2.565766},
         {2.128115, 3.770577, 1.008281, 2.869519}});
}

TEST_F(WanSelfTest, ManyTokensDoNotDependOnThreads) {
    // More rows than one block, an odd number of tokens, widths that are no multiple of a vector.
    for (const std::int64_t heads : {2, 3, 5, 6, 12}) {
        WanTransformerConfig config = small_config();
        config.num_attention_heads = heads;
        config.attention_head_dim = 12;
        config.ffn_dim = 100;
        const WanModelUnderTest model(config, testing::filled_weights(wan::transformer_weights(config)));
        const testing::WanInput input{wave_input({4, 5, 26, 10}), at::full({1}, 700.0, at::kFloat), text_};
        testing::expect_same_for_all_thread_counts([&] { return model.velocity(input); });
    }
}

TEST(TimestepCodeTest, EqualsPrintedValues) {
    const at::Tensor code = nn::timestep_code(at::full({1}, 999.0, at::kFloat), 256)[0];
    for (const auto& [index, value] : std::vector<std::pair<std::int64_t, double>>{{0, 0.99964982},
                                                                                   {1, 0.96378529},
                                                                                   {2, -0.39902055},
                                                                                   {127, 0.99424314},
                                                                                   {128, -0.026460752},
                                                                                   {129, -0.26667938},
                                                                                   {255, 0.10714722}})
        EXPECT_NEAR(code[index].item<double>(), value, 1e-7) << index;
}

TEST(TimestepCodeTest, IsTheCosineAndSineOfItsAnglesForEveryTime) {
    at::manual_seed(1);
    const at::Tensor times = at::rand({200}) * 1000;
    const at::Tensor frequencies = at::exp(at::arange(128, at::kFloat) * -std::log(10000.0) / 128);
    const at::Tensor angles = at::outer(times, frequencies).to(at::kDouble);
    const at::Tensor exact = at::cat({at::cos(angles), at::sin(angles)}, -1);
    EXPECT_LE((nn::timestep_code(times, 256).to(at::kDouble) - exact).abs().max().item<double>(), 1e-6);
}

TEST(TimestepCodeTest, HalfPrecisionModelsTellCloseTimesApart) {
    const WanTransformerConfig config = small_config();
    WeightMap weights = testing::filled_weights(wan::transformer_weights(config));
    WeightMap half;
    for (const WeightSpec& spec : wan::transformer_weights(config)) {
        const at::Tensor weight = weights.take(spec.name);
        half.put(spec.name, spec.precision == WeightPrecision::Model ? weight.to(at::kBFloat16) : weight);
    }
    const wan::Transformer transformer(config, std::move(half), at::kBFloat16);
    const auto embedding = [&](double time) {
        return transformer.embed_times({at::full({1}, time, at::kFloat), {}}).embedding;
    };
    EXPECT_FALSE(embedding(998.3897).equal(embedding(1000)));
    EXPECT_THROW(nn::timestep_code(at::full({1}, 998.3897, at::kBFloat16), 32), std::exception);
}

} // namespace
} // namespace reelmesh
