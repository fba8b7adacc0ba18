// Frames by tensor arithmetic, as devices other than a CPU compute them, are those by rows: tried on a CPU,
// which can do both. That nothing reads host memory or makes tensors elsewhere is tried on LibTorch's meta
// device, which has no memory and refuses to mix.
#include <gtest/gtest.h>

#include "base/split.h"
#include "comm/peer/peer_communicator.h"
#include "support/meta_kernels.h"
#include "support/on_ranks.h"
#include "vae_fixture.h"

namespace reelmesh::testing {
namespace {

constexpr double kBound = 1e-5;

struct Case {
    const char* name;
    WanVaeConfig config;
};

class FrameMathTest : public ::testing::TestWithParam<Case> {
protected:
    std::unique_ptr<VideoVae> vae(FrameMath math, c10::Device device = at::kCPU) const {
        const ModelCard card = card_of(GetParam().config);
        return load_vae(card, filled_weights(vae_weights(card)).on(device), math);
    }
    at::Tensor latents() const { return at::sin(at::arange(4 * 3 * 6 * 4, at::kFloat)).view({4, 3, 6, 4}); }
    at::Tensor video() const {
        const std::int64_t factor = GetParam().config.scale_factor_spatial;
        return at::sin(at::arange(3 * 9 * 3 * factor * 2 * factor, at::kFloat).mul(0.1))
            .view({3, 9, 3 * factor, 2 * factor});
    }
};

TEST_P(FrameMathTest, TensorsDecodeWhatRowsDecode) {
    const at::Tensor rows = decode_in_chunks(*vae(FrameMath::Rows), latents(), {1, 1, 1});
    const at::Tensor tensors = decode_in_chunks(*vae(FrameMath::Tensors), latents(), {1, 1, 1});
    EXPECT_LE(relative_l2(tensors, rows), kBound);
    EXPECT_LE(relative_l2(decode_whole(*vae(FrameMath::Tensors), latents()), rows), kBound);
}

TEST_P(FrameMathTest, TensorsEncodeWhatRowsEncode) {
    EXPECT_LE(relative_l2(vae(FrameMath::Tensors)->encode(video()), vae(FrameMath::Rows)->encode(video())),
              kBound);
}

TEST_P(FrameMathTest, TensorsDecodeAndEncodeInBands) {
    const auto by_tensors = vae(FrameMath::Tensors);
    const at::Tensor whole = decode_whole(*vae(FrameMath::Rows), latents());
    const at::Tensor moments = vae(FrameMath::Rows)->encode(video());
    for (const int ranks : {2, 3}) {
        std::vector<at::Tensor> frames(static_cast<std::size_t>(ranks)), codes(frames);
        Group group = make_peer_group(ranks, {std::chrono::seconds(30), {}, {}});
        expect_no_errors(on_ranks(group, [&](Communicator& communicator) {
            const auto at = static_cast<std::size_t>(communicator.rank());
            HaloBand band(communicator, split(6, ranks));
            const at::Tensor own = latents().narrow(2, band.first_row(), band.num_rows());
            frames[at] = by_tensors->start_decode(&band)->decode(own.contiguous());
            HaloBand coarse(communicator, split(3, ranks));
            const std::int64_t factor = GetParam().config.scale_factor_spatial;
            codes[at] = by_tensors->encode(
                video().narrow(2, coarse.first_row() * factor, coarse.num_rows() * factor).contiguous(),
                &coarse);
        }));
        EXPECT_LE(relative_l2(at::cat(frames, 2), whole), kBound) << ranks;
        EXPECT_LE(relative_l2(at::cat(codes, 2), moments), kBound) << ranks;
    }
}

TEST_P(FrameMathTest, NothingLeavesTheDeviceOfTheWeights) {
    add_meta_kernels();
    const auto elsewhere = vae(FrameMath::Rows, at::kMeta);
    const at::Tensor frames = decode_in_chunks(*elsewhere, latents().to(at::kMeta), {1, 1, 1});
    EXPECT_EQ(frames.device().type(), at::kMeta);
    EXPECT_EQ(frames.sizes(), decode_whole(*vae(FrameMath::Rows), latents()).sizes());
    const at::Tensor moments = elsewhere->encode(video().to(at::kMeta));
    EXPECT_EQ(moments.sizes(), vae(FrameMath::Rows)->encode(video()).sizes());
    EXPECT_EQ(elsewhere->denormalise(latents().to(at::kMeta)).device().type(), at::kMeta);
}

INSTANTIATE_TEST_SUITE_P(Configs, FrameMathTest,
                         ::testing::Values(Case{"Plain", small_config()},
                                           Case{"Residual", small_residual_config()}),
                         [](const auto& info) { return info.param.name; });

} // namespace
} // namespace reelmesh::testing
