#include "pipeline/preview_stage.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <set>

namespace reelmesh {
namespace {

ModelCard card_of(const std::string& model) {
    return read_model_card(std::string(REELMESH_TEST_DATA) + "/goldens/models/" + model);
}

/// Some rows of the published maps, and their bias.
struct KnownRow {
    const char* model;
    int channel;
    std::array<double, 3> row, bias;
};

TEST(PreviewStageTest, KnownChannelsGiveThePublishedColours) {
    const KnownRow rows[] = {
        {"wan21-t2v", 0, {-0.1299, -0.1692, 0.2932}, {-0.1835, -0.0868, -0.3360}},
        {"wan21-t2v", 14, {0.3477, 0.2275, 0.2950}, {-0.1835, -0.0868, -0.3360}},
        {"wan22-ti2v-5b", 37, {0.1833, 0.1466, 0.2250}, {0.0317, -0.0878, -0.1388}},
        {"wan22-ti2v-5b", 47, {-0.0837, 0.0168, 0.0055}, {0.0317, -0.0878, -0.1388}},
    };
    for (const KnownRow& known : rows) {
        const ModelCard card = card_of(known.model);
        const auto factors = preview_factors(card.vae);
        ASSERT_TRUE(factors) << known.model;
        const double value = 1.5;
        at::Tensor latents = at::zeros({card.vae.z_dim, 1, 2, 3});
        latents[known.channel].fill_(value);
        const PreviewClip clip = make_preview(latents, factors, 4, 4);
        ASSERT_EQ(clip.frames.size(), 1U);
        EXPECT_EQ(clip.frames[0].width, 3);
        EXPECT_EQ(clip.frames[0].height, 2);
        for (int colour = 0; colour < 3; ++colour) {
            const auto c = static_cast<std::size_t>(colour);
            const double expected =
                std::clamp((value * known.row[c] + known.bias[c]) * 0.5 + 0.5, 0.0, 1.0) * 255;
            EXPECT_NEAR(clip.frames[0].row(1)[3 * 2 + colour], expected, 2) << known.model << colour;
        }
    }
}

TEST(PreviewStageTest, EachLatentFrameIsItsOwnPicture) {
    const ModelCard card = card_of("wan21-t2v");
    at::Tensor latents = at::zeros({16, 5, 4, 4});
    for (int t = 0; t < 5; ++t)
        latents.select(1, t).fill_(0.2 * t);
    const PreviewClip clip = make_preview(latents, preview_factors(card.vae), 0, 4);
    ASSERT_EQ(clip.frames.size(), 5U);
    std::set<int> shades;
    for (const Frame& frame : clip.frames)
        shades.insert(frame.row(0)[0]);
    EXPECT_EQ(shades.size(), 5U);
}

TEST(PreviewStageTest, UnknownLatentSpaceIsGrey) {
    WanVaeConfig vae = card_of("wan21-t2v").vae;
    vae.latents_mean[0] += 0.1;
    EXPECT_FALSE(preview_factors(vae));
    const PreviewClip clip = make_preview(at::randn({16, 2, 3, 3}), std::nullopt, 0, 4);
    for (const Frame& frame : clip.frames)
        for (int x = 0; x < 3; ++x) {
            EXPECT_EQ(frame.row(1)[3 * x], frame.row(1)[3 * x + 1]);
            EXPECT_EQ(frame.row(1)[3 * x], frame.row(1)[3 * x + 2]);
        }
}

TEST(PreviewStageTest, SampleModelHasItsOwnColours) {
    EXPECT_TRUE(preview_factors(read_model_card(REELMESH_RESOURCES "/sample-model").vae));
}

TEST(PreviewStageTest, FramesReachBothEndsOfTheRange) {
    at::Tensor video = at::empty({3, 1, 1, 2}, at::kFloat);
    video.select(3, 0).fill_(-1.0F);
    video.select(3, 1).fill_(1.0F);
    const std::vector<Frame> frames = to_frames(video);
    EXPECT_EQ(frames[0].row(0)[0], 0);
    EXPECT_EQ(frames[0].row(0)[3], 255);
}

} // namespace
} // namespace reelmesh
