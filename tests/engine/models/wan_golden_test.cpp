#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "nn/timestep_code.h"
#include "ops/layer_norm_modulate.h"
#include "support/thread_counts.h"
#include "wan_fixture.h"

namespace reelmesh {
namespace {

using testing::read_golden;
using testing::relative_l2;
using testing::WanInput;
using testing::WanModelUnderTest;

constexpr double kStageBound = 1e-5;

struct Golden {
    std::string model;
    int runs;
};

std::string golden_file(const std::string& model) {
    return "components/transformer/" + model;
}

std::vector<WanInput> read_inputs(const std::string& model, int run) {
    const std::string prefix = "run" + std::to_string(run) + ".";
    const at::Tensor latents = read_golden(golden_file(model), prefix + "hidden_states");
    const at::Tensor times = read_golden(golden_file(model), prefix + "timestep");
    const at::Tensor text = read_golden(golden_file(model), prefix + "encoder_hidden_states");
    std::vector<WanInput> inputs;
    for (std::int64_t item = 0; item < latents.size(0); ++item)
        inputs.push_back({latents[item], times[item].reshape({-1}), text[item]});
    return inputs;
}

class WanGoldenTest : public ::testing::TestWithParam<Golden> {
protected:
    WanModelUnderTest model_ = WanModelUnderTest::golden(GetParam().model);

    at::Tensor expected(int run) const {
        return read_golden(golden_file(GetParam().model), "run" + std::to_string(run) + ".output");
    }
    /// Largest distance over the items of a run.
    double distance(const WanModelUnderTest& model, int run, const at::Tensor& phases = {}) const {
        const std::vector<WanInput> inputs = read_inputs(GetParam().model, run);
        double worst = 0;
        for (std::size_t item = 0; item < inputs.size(); ++item)
            worst = std::max(worst, relative_l2(model.velocity(inputs[item], phases),
                                                expected(run)[static_cast<std::int64_t>(item)]));
        return worst;
    }
};

TEST_P(WanGoldenTest, EveryRunEqualsTheReference) {
    for (int run = 0; run < GetParam().runs; ++run) {
        EXPECT_LE(distance(model_, run), kStageBound) << "run " << run;
    }
}

TEST_P(WanGoldenTest, PermutedRotaryAxesMiss) {
    const WanInput input = read_inputs(GetParam().model, 0).front();
    const auto [frames, rows, columns] = model_.grid(input.latents);
    // Rows and columns exchanged: the right angles on the wrong axes.
    const at::Tensor permuted =
        ops::rotary_3d_phases({frames, columns, rows}, model_.config().attention_head_dim);
    EXPECT_GT(distance(model_, 0, permuted), 10 * kStageBound);
}

TEST_P(WanGoldenTest, WrongEpsMisses) {
    const ModelCard card = read_model_card(testing::golden_path("models/" + GetParam().model));
    ModelCard wrong = card;
    wrong.transformer.eps = 1e-3;
    EXPECT_GT(distance(WanModelUnderTest::of_card(wrong, "transformer", at::kFloat), 0), 5 * kStageBound);
}

TEST_P(WanGoldenTest, DoesNotDependOnThreads) {
    for (int run = 0; run < GetParam().runs; ++run) {
        const WanInput input = read_inputs(GetParam().model, run).front();
        testing::expect_same_for_all_thread_counts([&] { return model_.velocity(input); });
    }
}

INSTANTIATE_TEST_SUITE_P(Models, WanGoldenTest,
                         ::testing::Values(Golden{"wan21-t2v", 6}, Golden{"wan22-a14b", 2},
                                           Golden{"wan22-ti2v-5b", 3}),
                         [](const auto& info) {
                             std::string name = info.param.model;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

class WanTraceTest : public ::testing::TestWithParam<std::string> {
protected:
    at::Tensor trace(const std::string& key) const {
        return read_golden(golden_file(GetParam()), "run0.trace." + key);
    }
    void expect_near(const at::Tensor& actual, const std::string& key) const {
        EXPECT_LE(relative_l2(actual, trace(key)), kStageBound) << key;
    }
};

TEST_P(WanTraceTest, EveryStageEqualsTheReferenceOnItsInput) {
    const c10::InferenceMode inference;
    const WanModelUnderTest model = WanModelUnderTest::golden(GetParam());
    const wan::Transformer& transformer = model.transformer();
    const WanTransformerConfig& config = model.config();
    const WanInput input = read_inputs(GetParam(), 0).front();
    const wan::TokenTimes times = WanModelUnderTest::token_times(input.times);
    const wan::TimeCodes codes = transformer.embed_times(times);
    const std::int64_t tokens = to_tokens(input.latents, config.patch_size).size(0);

    const at::Tensor code = nn::timestep_code(times.values, config.freq_dim);
    expect_near(times.index.defined() ? code.index_select(0, times.index) : code, "time_code");
    expect_near(codes.of_rows(codes.embedding, 0, tokens), "temb");
    expect_near(codes.of_rows(codes.modulation, 0, tokens).flatten(1), "time_proj");
    const at::Tensor text = transformer.project_text(input.text);
    expect_near(text, "text_tokens");

    testing::SingleRank rank;
    const wan::TokenBuffers buffers =
        transformer.make_buffers(SequenceSplit(tokens, rank.context), rank.context);
    transformer.embed_patches(buffers.hidden, to_tokens(input.latents, config.patch_size));
    expect_near(buffers.hidden, "patch_tokens");
    const at::Tensor phases = ops::rotary_3d_phases(model.grid(input.latents), config.attention_head_dim);
    for (std::size_t layer = 0; layer < transformer.blocks().size(); ++layer) {
        const wan::Block& block = transformer.blocks()[layer];
        const wan::Attention& self = block.self_attention();
        const wan::Attention& cross = block.cross_attention();
        const std::string name = "block" + std::to_string(layer);
        const at::Tensor before = buffers.hidden.clone(), modulation = block.modulation(codes, 0, tokens);

        const at::Tensor rows =
            ops::layer_norm_modulate(before, modulation.select(1, 0), modulation.select(1, 1), config.eps);
        const at::Tensor queries = self.norm_queries(self.queries(rows));
        expect_near(queries, name + ".attn1.q_norm");
        const at::Tensor first = self.output(
            self.attend(ops::rotate_pairs(queries, phases),
                        {self.split_heads(ops::rotate_pairs(self.norm_keys(self.keys(rows)), phases)),
                         self.split_heads(self.values(rows))}));
        expect_near(first, name + ".attn1");
        const at::Tensor attended = before + first * modulation.select(1, 2);
        const wan::KeysAndValues context = block.project_context(text, rank.context);
        const at::Tensor second = cross.output(
            cross.attend(cross.norm_queries(cross.queries(block.norm_before_cross(attended))), context));
        expect_near(second, name + ".attn2");
        const at::Tensor crossed = attended + second;
        expect_near(block.feed_forward(ops::layer_norm_modulate(crossed, modulation.select(1, 3),
                                                                modulation.select(1, 4), config.eps)),
                    name + ".ffn");
        block.forward(buffers, codes, phases, context, rank.context);
        expect_near(buffers.hidden, name);
    }
    expect_near(at::layer_norm(buffers.hidden, {config.width()}, {}, {}, config.eps), "head_norm");
    // The reference's tokens have the channel as their fastest index.
    const at::Tensor velocity = to_tokens(model.velocity(input), config.patch_size);
    expect_near(velocity.unflatten(1, {config.out_channels, -1}).transpose(1, 2).flatten(1), "proj_out");
}

INSTANTIATE_TEST_SUITE_P(Models, WanTraceTest, ::testing::Values("wan21-t2v", "wan22-ti2v-5b"),
                         [](const auto& info) {
                             std::string name = info.param;
                             std::ranges::replace(name, '-', '_');
                             return name;
                         });

TEST(WanExpertTest, LowNoiseExpertEqualsTheReference) {
    const std::string velocity = "cases/a14b-two-experts/velocity", embeds = "cases/a14b-two-experts/";
    const WanModelUnderTest model = WanModelUnderTest::golden("wan22-a14b", "transformer_2");
    const at::Tensor latents = read_golden(velocity, "low_model_input")[0],
                     times = read_golden(velocity, "low_timestep");
    for (const auto& [result, prompt] :
         {std::pair{"low_cond", "prompt_embeds"}, {"low_uncond", "negative_prompt_embeds"}})
        EXPECT_LE(relative_l2(model.velocity({latents, times, read_golden(embeds + prompt, prompt)[0]}),
                              read_golden(velocity, result)),
                  kStageBound)
            << result;
}

TEST(WanBfloat16Test, ErrorIsAtMostOneAndAHalfTimesTheReferences) {
    const WanModelUnderTest model = WanModelUnderTest::golden("wan21-t2v", "transformer", at::kBFloat16);
    const std::string velocity = "cases/t2v-bf16/velocity", embeds = "cases/t2v-bf16/";
    const at::Tensor latents = read_golden(velocity, "model_input")[0],
                     times = read_golden(velocity, "timestep");
    // rel_l2_to_float32 of the case.
    for (const auto& [result, prompt, reference] :
         {std::tuple{"cond", "prompt_embeds", 0.009761137315623976},
          {"uncond", "negative_prompt_embeds", 0.00807491411425618}}) {
        const at::Tensor actual = model.velocity({latents, times, read_golden(embeds + prompt, prompt)[0]});
        EXPECT_EQ(actual.scalar_type(), at::kFloat);
        const double error = relative_l2(actual, read_golden("cases/t2v-unipc/velocity", result));
        EXPECT_LE(error, 1.5 * reference) << result;
    }
}

} // namespace
} // namespace reelmesh
