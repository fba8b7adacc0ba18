// The reference's own results, both variants, both directions.
#include "vae_fixture.h"

namespace reelmesh {
namespace {

constexpr double kStageBound = 1e-5;

struct GoldenVae {
    std::string model;
    int num_decodes, num_encodes;
};

class WanVaeGoldenTest : public ::testing::TestWithParam<GoldenVae> {
protected:
    at::Tensor golden(const std::string& key) const {
        return testing::read_golden("components/vae/" + GetParam().model, key).squeeze(0);
    }
    std::unique_ptr<VideoVae> vae_ = testing::golden_vae(GetParam().model);
};

TEST_P(WanVaeGoldenTest, DecodesAsTheReference) {
    for (int i = 0; i < GetParam().num_decodes; ++i) {
        const std::string run = "decode" + std::to_string(i);
        const double error =
            testing::relative_l2(testing::decode_whole(*vae_, golden(run + ".z")), golden(run + ".video"));
        EXPECT_LE(error, kStageBound) << run;
        RecordProperty(run, std::to_string(error));
    }
}

TEST_P(WanVaeGoldenTest, EncodesAsTheReference) {
    for (int i = 0; i < GetParam().num_encodes; ++i) {
        const std::string run = "encode" + std::to_string(i);
        const double error =
            testing::relative_l2(vae_->encode(golden(run + ".video")), golden(run + ".moments"));
        EXPECT_LE(error, kStageBound) << run;
        RecordProperty(run, std::to_string(error));
    }
}

INSTANTIATE_TEST_SUITE_P(Models, WanVaeGoldenTest,
                         ::testing::Values(GoldenVae{"wan21-t2v", 4, 5}, GoldenVae{"wan22-ti2v-5b", 4, 4}),
                         [](const auto& info) {
                             return info.param.model == "wan21-t2v" ? "Wan21" : "Wan22";
                         });

} // namespace
} // namespace reelmesh
