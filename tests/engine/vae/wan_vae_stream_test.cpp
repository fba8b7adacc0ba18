// How a clip is cut into chunks, and how many threads decode it, changes no bit.
#include <ATen/CPUGeneratorImpl.h>

#include "support/thread_counts.h"
#include "vae_fixture.h"

namespace reelmesh {
namespace {

at::Tensor random_latents(std::int64_t channels, std::int64_t frames, std::int64_t height,
                          std::int64_t width) {
    return at::randn({channels, frames, height, width}, at::make_generator<at::CPUGeneratorImpl>(7));
}

class WanVaeStreamTest : public ::testing::TestWithParam<std::string> {
protected:
    std::unique_ptr<VideoVae> vae_ = testing::golden_vae(GetParam());
    std::int64_t channels_ = GetParam() == "wan21-t2v" ? 16 : 48;
    std::int64_t pixels_ = GetParam() == "wan21-t2v" ? 8 : 16;
};

TEST_P(WanVaeStreamTest, ChunkPlansGiveEqualBytes) {
    const at::Tensor latents = random_latents(channels_, 9, 3, 4);
    const at::Tensor whole = testing::decode_whole(*vae_, latents);
    EXPECT_EQ(whole.sizes(), (std::vector<std::int64_t>{3, 33, 3 * pixels_, 4 * pixels_}));
    EXPECT_TRUE(testing::decode_in_chunks(*vae_, latents, {1, 4, 4}).equal(whole));
    EXPECT_TRUE(testing::decode_in_chunks(*vae_, latents, {1, 8}).equal(whole));
    EXPECT_TRUE(testing::decode_in_chunks(*vae_, latents, {2, 1, 3, 3}).equal(whole));
}

TEST_P(WanVaeStreamTest, TheFirstLatentIsOneFrameTheOthersFour) {
    for (const std::int64_t frames : {1, 2, 3, 21}) {
        const at::Tensor video = testing::decode_whole(*vae_, random_latents(channels_, frames, 1, 2));
        EXPECT_EQ(video.size(1), 1 + 4 * (frames - 1));
        EXPECT_TRUE(at::isfinite(video).all().item<bool>());
    }
}

TEST_P(WanVaeStreamTest, LaterLatentsChangeNoEarlierFrame) {
    const at::Tensor latents = random_latents(channels_, 4, 2, 2);
    EXPECT_TRUE(testing::decode_whole(*vae_, latents)
                    .narrow(1, 0, 9)
                    .equal(testing::decode_whole(*vae_, latents.narrow(1, 0, 3))));
}

TEST_P(WanVaeStreamTest, FramesBeyondTheLastGroupAreDropped) {
    const at::Tensor video = random_latents(3, 8, 2 * pixels_, pixels_);
    EXPECT_TRUE(vae_->encode(video).equal(vae_->encode(video.narrow(1, 0, 5))));
}

TEST_P(WanVaeStreamTest, ThreadsChangeNothing) {
    // Wide enough for several bands of rows, and not a multiple of them.
    const at::Tensor latents = random_latents(channels_, 2, 11, 13);
    testing::expect_same_for_all_thread_counts([&] { return testing::decode_whole(*vae_, latents); });
    const at::Tensor video = random_latents(3, 5, 5 * pixels_, 7 * pixels_);
    testing::expect_same_for_all_thread_counts([&] { return vae_->encode(video); });
}

TEST_P(WanVaeStreamTest, NotANumberReachesThePicture) {
    at::Tensor latents = random_latents(channels_, 2, 2, 2);
    latents[3][1][0][1] = std::numeric_limits<float>::quiet_NaN();
    const at::Tensor video = testing::decode_whole(*vae_, latents);
    EXPECT_TRUE(at::isfinite(video.select(1, 0)).all().item<bool>());
    EXPECT_TRUE(at::isnan(video.narrow(1, 1, 4)).any().item<bool>());
}

TEST_P(WanVaeStreamTest, NormalisingIsUndone) {
    const at::Tensor latents = random_latents(channels_, 2, 3, 4);
    EXPECT_LT(testing::relative_l2(vae_->normalise(vae_->denormalise(latents)), latents), 1e-6);
    EXPECT_GT(testing::relative_l2(vae_->denormalise(latents), latents), 0.1);
}

INSTANTIATE_TEST_SUITE_P(Models, WanVaeStreamTest, ::testing::Values("wan21-t2v", "wan22-ti2v-5b"),
                         [](const auto& info) { return info.param == "wan21-t2v" ? "Wan21" : "Wan22"; });

TEST(SampleVaeTest, GivesBackAPicture) {
    const auto vae = testing::sample_vae();
    const at::Tensor ramp = at::linspace(-0.8, 0.8, 64);
    const at::Tensor picture = at::stack(
        {ramp.view({1, 64}).expand({64, 64}), ramp.view({64, 1}).expand({64, 64}), at::full({64, 64}, 0.2)});
    const at::Tensor video = picture.unsqueeze(1).expand({3, 17, 64, 64});
    const at::Tensor latents = vae->encode(video).narrow(0, 0, 16);
    EXPECT_EQ(latents.size(1), 5);
    const double square = (testing::decode_whole(*vae, latents) - video).square().mean().item<double>();
    EXPECT_GT(10 * std::log10(4 / square), 20); // dB
    testing::expect_same_for_all_thread_counts(
        [&] { return testing::decode_whole(*vae, latents.narrow(1, 0, 2)); });
}

} // namespace
} // namespace reelmesh
