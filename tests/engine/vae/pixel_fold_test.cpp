#include "vae/wan/pixel_fold.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace reelmesh {
namespace {

at::Tensor counting(at::IntArrayRef shape) {
    return at::arange(c10::multiply_integers(shape), at::kFloat).view(shape);
}

void expect_values(const at::Tensor& actual, const std::vector<float>& expected) {
    EXPECT_TRUE(actual.flatten().equal(at::tensor(expected))) << actual;
}

TEST(PatchifyTest, PutsColumnOffsetsBeforeRowOffsets) {
    const at::Tensor frame = patchify(counting({2, 4, 4}), 2);
    EXPECT_EQ(frame.sizes(), (std::vector<std::int64_t>{2, 2, 8}));
    expect_values(frame[0][0], {0, 4, 1, 5, 16, 20, 17, 21});
}

TEST(PatchifyTest, IsUndone) {
    const at::Tensor image = counting({3, 4, 6});
    at::Tensor back = at::empty_like(image);
    unpatchify_into(back, patchify(image, 2), 2);
    EXPECT_TRUE(back.equal(image));
}

TEST(AverageDownTest, AveragesPairsOfFrames) {
    // Channels first as printed; every pair of frames gives one.
    const at::Tensor video = counting({2, 4, 4, 4}).permute({1, 2, 3, 0});
    std::vector<at::Tensor> frames;
    for (const std::int64_t pair : {0, 2})
        frames.push_back(average_down(video.narrow(0, pair, 2), 4, 2));
    expect_values(at::stack(frames).permute({3, 0, 1, 2}),
                  {2.5,   4.5,   10.5, 12.5, 34.5, 36.5, 42.5,  44.5,  18.5,  20.5, 26.5,
                   28.5,  50.5,  52.5, 58.5, 60.5, 66.5, 68.5,  74.5,  76.5,  98.5, 100.5,
                   106.5, 108.5, 82.5, 84.5, 90.5, 92.5, 114.5, 116.5, 122.5, 124.5});
}

TEST(AverageDownTest, CountsZerosBeforeTheFirstFrame) {
    const at::Tensor first = counting({2, 1, 2, 2}).permute({1, 2, 3, 0});
    expect_values(average_down(at::cat({at::zeros_like(first), first}), 4, 2), {0, 1.5, 0, 5.5});
}

TEST(AddDuplicatedTest, RepeatsChannelsOverFramesAndPixels) {
    const at::Tensor frame = counting({4, 1, 2}).permute({1, 2, 0});
    std::vector<at::Tensor> frames;
    for (const std::int64_t half : {0, 1})
        add_duplicated(frames.emplace_back(at::zeros({2, 4, 2})), frame, 2, 2, half);
    expect_values(at::stack(frames).permute({3, 0, 1, 2}), {0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3, 2, 2, 3, 3,
                                                            4, 4, 5, 5, 4, 4, 5, 5, 6, 6, 7, 7, 6, 6, 7, 7});
}

} // namespace
} // namespace reelmesh
