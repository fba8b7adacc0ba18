// The printed values of small models with rule-made weights, and the size of the real ones.
#include "support/printed_values.h"
#include "vae/wan/blocks.h"
#include "vae_fixture.h"

namespace reelmesh {
namespace {

using testing::expect_printed;
using testing::wave_input;

at::Tensor channels_first(const at::Tensor& frame) {
    return frame.permute({2, 0, 1});
}

TEST(WanVaeSelfTest, DecodesV21) {
    const auto vae = testing::rule_made_vae(testing::small_config());
    const at::Tensor video = testing::decode_whole(*vae, wave_input({4, 3, 3, 4}));
    const std::vector<double> first{-0.487548,  -0.8299874, -0.878017,  -0.8526149,
                                    -0.7671805, -0.6840526, -0.5917486, -0.5420067};
    expect_printed(video, {-5.82046639e-2, 108.605878, first, {1, 1, 1, 0.3782257}});
    expect_printed(video.select(1, 0),
                   {-0.164270787, 22.9026705, first, {0.3825949, 0.3945845, 0.4231473, 0.276668}});
}

TEST(WanVaeSelfTest, StagesOfV21) {
    WeightMap weights = testing::filled_weights(vae_weights(testing::card_of(testing::small_config())));
    WeightTaker taker(weights);
    const FrameConv post_quant = take_frame_conv(taker, "post_quant_conv.", 4, 4, kPointwise, 5);
    const CausalConv conv_in(taker, "decoder.conv_in.", 4, 32, kSame);
    const ResBlock resnet(taker, "decoder.mid_block.resnets.0.", 32, 32);
    const FrameAttention attention(taker, "decoder.mid_block.attentions.0.", 32);
    StreamState state(taker.num_slots());

    const at::Tensor latent = wave_input({4, 3, 3, 4}).select(1, 0).permute({1, 2, 0}).contiguous();
    at::Tensor frame = conv_in.push({post_quant.run({latent})}, state);
    expect_printed(channels_first(frame), {-2.21648874e-4,
                                           2.57396476,
                                           {0.1715205, 0.2107548, 0.2273726, 0.1809745},
                                           {0.1359439, 0.1782313, 0.1867833, 0.1181752}});
    frame = resnet.push(frame, state);
    expect_printed(channels_first(frame), {-4.41273341e-3,
                                           2.87517588,
                                           {0.1841914, 0.2240572, 0.2424918, 0.1912527},
                                           {0.2562726, 0.3092462, 0.3270701, 0.2388636}});
    expect_printed(channels_first(attention.run(frame, state)),
                   {-1.35152746e-2,
                    11.2114666,
                    {1.029099, 1.076367, 1.09804, 1.040617},
                    {-0.4277531, -0.3866417, -0.371058, -0.4497871}});
}

TEST(WanVaeSelfTest, EncodesV21) {
    const auto vae = testing::rule_made_vae(testing::small_config());
    expect_printed(vae->encode(wave_input({3, 5, 16, 24}, 0.013, 0.1)),
                   {4.74081173e-2,
                    1.72354618,
                    {-0.2203845, -0.2545463, -0.2329111, -0.2303578, -0.2495431, -0.2161054},
                    {0.2099298, 0.2018662, 0.2017408, 0.1973573}});
}

TEST(WanVaeSelfTest, DecodesV22) {
    const auto vae = testing::rule_made_vae(testing::small_residual_config());
    expect_printed(testing::decode_whole(*vae, wave_input({4, 3, 2, 3})),
                   {-1.76353606e-2,
                    89.1923618,
                    {-0.785062, -0.6720142, -1, -1, -1, -1, -1, -1},
                    {0.3432406, 0.1069446, 0.2844325, 0.1630435}});
}

TEST(WanVaeSelfTest, EncodesV22) {
    const auto vae = testing::rule_made_vae(testing::small_residual_config());
    expect_printed(vae->encode(wave_input({3, 5, 32, 48}, 0.013, 0.1)),
                   {-1.91391504e-2,
                    1.30910805,
                    {-0.005792488, 0.0114458, -0.009285861, -0.02070815, -0.02225355, -0.03856831},
                    {-0.08235271, 0.00545793, 0.09062542, 0.1327001}});
}

std::pair<std::size_t, std::int64_t> count(const std::vector<WeightSpec>& specs) {
    std::int64_t values = 0;
    for (const WeightSpec& spec : specs)
        values += c10::multiply_integers(spec.shape);
    return {specs.size(), values};
}

TEST(WanVaeSelfTest, StatesTheWeightsOfTheRealModels) {
    WanVaeConfig config;
    EXPECT_EQ(count(vae_weights(testing::card_of(config))), std::make_pair(std::size_t{194}, 126'892'531L));
    config.base_dim = 160;
    config.decoder_base_dim = 256;
    config.z_dim = 48;
    config.is_residual = true;
    config.in_channels = config.out_channels = 12;
    config.patch_size = 2;
    EXPECT_EQ(count(vae_weights(testing::card_of(config))), std::make_pair(std::size_t{196}, 704'688'668L));
}

} // namespace
} // namespace reelmesh
