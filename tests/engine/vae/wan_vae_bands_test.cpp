// A clip decoded or encoded in bands of rows is the clip that one rank makes: any number of rows and ranks,
// bands of one row included, any chunks. What is sent is held against the plan in e2e/mesh_e2e_test.
#include <ATen/CPUGeneratorImpl.h>

#include <random>
#include <thread>

#include "base/split.h"
#include "comm/peer/peer_communicator.h"
#include "parallel/halo_band.h"
#include "support/on_ranks.h"
#include "vae_fixture.h"

namespace reelmesh {
namespace {

at::Tensor random_values(std::vector<std::int64_t> shape) {
    return at::randn(shape, at::make_generator<at::CPUGeneratorImpl>(7));
}

/// Waits before its calls, another time with each seed.
class Bands {
public:
    Bands(int ranks, std::int64_t rows, unsigned seed = 0)
        : rows_(split(rows, ranks)), seed_(seed),
          group_(make_peer_group(ranks, {std::chrono::seconds(30), {}, {}})) {}

    /// Rows along dim of what every rank makes of its band, put together.
    at::Tensor run(std::int64_t dim, const std::function<at::Tensor(HaloBand& band)>& function) {
        std::vector<at::Tensor> parts(group_.size());
        testing::expect_no_errors(testing::on_ranks(group_, [&](Communicator& communicator) {
            HaloBand band(communicator, rows_);
            std::mt19937 draw(seed_ * 100 + static_cast<unsigned>(communicator.rank()));
            if (seed_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(draw() % 15));
            parts[static_cast<std::size_t>(communicator.rank())] = function(band);
        }));
        return at::cat(parts, dim);
    }

private:
    std::vector<std::int64_t> rows_;
    unsigned seed_;
    testing::Group group_;
};

at::Tensor decode_band(const VideoVae& vae, const at::Tensor& latents,
                       const std::vector<std::int64_t>& chunks, HaloBand& band) {
    const auto run = vae.start_decode(&band);
    std::vector<at::Tensor> video;
    std::int64_t first = 0;
    for (const std::int64_t count : chunks) {
        video.push_back(run->decode(
            latents.narrow(1, first, count).narrow(2, band.first_row(), band.num_rows()).contiguous()));
        first += count;
    }
    return at::cat(video, 1);
}

class WanVaeBandsTest : public ::testing::TestWithParam<std::string> {
protected:
    std::unique_ptr<VideoVae> vae_ = testing::golden_vae(GetParam());
    std::int64_t channels_ = GetParam() == "wan21-t2v" ? 16 : 48;
    std::int64_t pixels_ = GetParam() == "wan21-t2v" ? 8 : 16;
};

TEST_P(WanVaeBandsTest, DecodesLikeOneRankWithAnyRowsOnAnyRanks) {
    for (const std::int64_t rows : {3, 4, 5, 8, 11, 17}) {
        const at::Tensor latents = random_values({channels_, 4, rows, 5});
        const at::Tensor whole = testing::decode_whole(*vae_, latents);
        for (const int ranks : {2, 3, 4, 8}) {
            if (ranks > rows) continue;
            SCOPED_TRACE(std::to_string(rows) + " rows on " + std::to_string(ranks));
            const at::Tensor joined = Bands(ranks, rows).run(2, [&](HaloBand& band) {
                return decode_band(*vae_, latents, {1, 2, 1}, band);
            });
            ASSERT_EQ(joined.sizes(), whole.sizes());
            EXPECT_LE(testing::relative_l2(joined, whole), 2e-6);
            EXPECT_LE((joined - whole).abs().max().item<double>(), 2e-5);
        }
    }
}

TEST_P(WanVaeBandsTest, ChunksAndDelaysChangeNoBit) {
    const at::Tensor latents = random_values({channels_, 5, 5, 4});
    at::Tensor first;
    unsigned seed = 0;
    for (const auto& chunks : std::vector<std::vector<std::int64_t>>{{1, 4}, {5}, {1, 1, 1, 1, 1}, {2, 3}}) {
        const at::Tensor joined = Bands(3, 5, ++seed).run(2, [&](HaloBand& band) {
            return decode_band(*vae_, latents, chunks, band);
        });
        if (!first.defined()) first = joined;
        EXPECT_TRUE(joined.equal(first));
    }
}

TEST_P(WanVaeBandsTest, EncodesLikeOneRank) {
    for (const int ranks : {2, 3}) {
        const at::Tensor video = random_values({3, 9, 5 * pixels_, 3 * pixels_}).clamp_(-1, 1);
        const at::Tensor joined = Bands(ranks, 5).run(2, [&](HaloBand& band) {
            return vae_->encode(
                video.narrow(2, band.first_row() * pixels_, band.num_rows() * pixels_).contiguous(), &band);
        });
        EXPECT_LE(testing::relative_l2(joined, vae_->encode(video)), 2e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(Models, WanVaeBandsTest, ::testing::Values("wan21-t2v", "wan22-ti2v-5b"),
                         [](const auto& info) { return info.param == "wan21-t2v" ? "Wan21" : "Wan22"; });

} // namespace
} // namespace reelmesh
