#include "pipeline/communication.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>
#include <sstream>

#include "pipeline/cost_model.h"

namespace reelmesh {
namespace {

using Json = nlohmann::json;

/// The reference chapter's tables as printed.
const char* const kChapter = R"({"dtype_bytes":2,"link_bytes_per_s":3e11,
"shapes":{"flux":{"N":4608,"D":3072,"L":57,"H":24,"latent":[16,128,128],"steps":28},
 "wan":{"N":76112,"D":5120,"L":40,"H":40,"latent":[16,21,90,160],"steps":50}},
"cfg":{"flux":["0.5","14.0"],"wan":["9.2","461.4"]},
"seq":{"flux":[[2,"54.0","27.0","3078","10.8"],[4,"40.5","40.5","2308","8.1"],[8,"23.6","47.2","1347","4.7"]],
 "wan":[[2,"1486.6","743.3","59462","207.8"],[4,"1114.9","1114.9","44597","155.9"],[8,"650.4","1300.7","26015","90.9"]]},
"pipefusion":{"flux":[[4,"770","2308"],[8,"385","1347"]],"wan":[[4,"14866","44597"],[8,"7433","26015"]]},
"tp":{"flux":[[4,"4617","2308"]],"wan":[[4,"89194","44597"]]}})";

/// What is sent, bytes per rank, two bytes an element.
const char* const kExact = R"(flux_1024,4608,3072,57,2,28311552,28311552,2151677952,0,28311552,1613758464
flux_1024,4608,3072,57,4,21233664,42467328,3227516928,0,28311552,806879232
flux_1024,4608,3072,57,8,12386304,49545216,3765436416,0,28311552,403439616
wan14b_720p81,75600,5120,40,2,774144000,774144000,92897280000,36288000,774144000,30965760000
wan14b_720p81,75600,5120,40,4,580608000,1161216000,139345920000,54432000,774144000,15482880000
wan14b_720p81,75600,5120,40,8,338688000,1354752000,162570240000,63504000,774144000,7741440000
wan1.3b_480p81,32760,1536,30,4,75479040,150958080,13586227200,17690400,100638720,1509580800
)";

std::string fixed(double value, int digits) {
    std::array<char, 64> buffer{};
    std::snprintf(buffer.data(), buffer.size(), "%.*f", digits, value);
    return buffer.data();
}

std::string mib(double bytes, int digits) {
    return fixed(bytes / (1 << 20), digits);
}

MeshShape mesh(const std::string& text) {
    return parse_mesh(text);
}

TransformerShape wan_shape(std::int64_t heads, std::int64_t ffn, std::int64_t layers) {
    TransformerShape shape{heads * 128, heads, 128, ffn, layers};
    shape.text_tokens = 512;
    shape.tensor_reduces_per_forward = 3 * layers;
    shape.norm_over_heads = true;
    return shape;
}

TransformerShape flux_shape() {
    TransformerShape shape{3072, 24, 128, 12288, 57};
    shape.joint_text_tokens = 512;
    shape.tensor_reduces_per_forward = 76;
    return shape;
}

TransformerShape shape_of(std::int64_t width, std::int64_t layers) {
    if (width == 3072) return flux_shape();
    return wan_shape(width / 128, width == 5120 ? 13824 : 8960, layers);
}

TEST(ReferenceChapterTest, SequenceTablesComeOutDigitForDigit) {
    const Json chapter = Json::parse(kChapter);
    const int e = chapter["dtype_bytes"];
    for (const char* model : {"flux", "wan"}) {
        const Json& shape = chapter["shapes"][model];
        const double tokens = shape["N"], width = shape["D"], layers = shape["L"];
        for (const Json& row : chapter["seq"][model]) {
            const int ranks = row[0];
            const double ulysses = reference_chapter::ulysses_layer_bytes(tokens, width, e, ranks);
            EXPECT_EQ(mib(ulysses, 1), row[1]) << model << ranks;
            EXPECT_EQ(mib(reference_chapter::ring_layer_bytes(tokens, width, e, ranks), 1), row[2])
                << model << ranks;
            EXPECT_EQ(mib(ulysses * layers, 0), row[3]) << model << ranks;
            const double seconds = ulysses * layers / static_cast<double>(chapter["link_bytes_per_s"]);
            EXPECT_EQ(fixed(1000 * seconds, 1), row[4]) << model << ranks;
        }
    }
}

TEST(ReferenceChapterTest, OtherTablesComeOutDigitForDigit) {
    const Json chapter = Json::parse(kChapter);
    const int e = chapter["dtype_bytes"];
    for (const char* model : {"flux", "wan"}) {
        const Json& shape = chapter["shapes"][model];
        const double tokens = shape["N"], width = shape["D"], layers = shape["L"], steps = shape["steps"];
        double latents = 1;
        for (const double side : shape["latent"])
            latents *= side;
        const double step = reference_chapter::guidance_step_bytes(latents, e);
        EXPECT_EQ(mib(step, 1), chapter["cfg"][model][0]);
        EXPECT_EQ(mib(step * steps, 1), chapter["cfg"][model][1]);
        for (const char* scheme : {"pipefusion", "tp"})
            for (const Json& row : chapter[scheme][model]) {
                const int ranks = row[0];
                const double bytes =
                    scheme == std::string("tp")
                        ? reference_chapter::tensor_bytes(tokens, width, e, layers, ranks)
                        : reference_chapter::pipefusion_bytes(tokens, width, e, layers, ranks);
                EXPECT_EQ(mib(bytes, 0), row[1]) << model << scheme << ranks;
                const double ulysses = reference_chapter::ulysses_layer_bytes(tokens, width, e, ranks);
                EXPECT_EQ(mib(ulysses * layers, 0), row[2]) << model << scheme << ranks;
            }
    }
}

TEST(CommunicationTest, EvenSplitsSendTheCorrectedBytes) {
    std::istringstream lines(kExact);
    int rows = 0;
    for (std::string line; std::getline(lines, line); ++rows) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        std::string name;
        std::int64_t tokens = 0, width = 0, layers = 0;
        int ranks = 0;
        std::uint64_t ulysses = 0, ring = 0, tensor = 0, norms = 0, border = 0, store = 0;
        fields >> name >> tokens >> width >> layers >> ranks >> ulysses >> ring >> tensor >> norms >>
            border >> store;
        TransformerShape shape = shape_of(width, layers);
        const std::string degree = std::to_string(ranks);
        const std::int64_t image = tokens - shape.joint_text_tokens;
        const WorkSplit by_heads = split_work(shape, image, mesh("ulysses" + degree));
        const WorkSplit by_ring = split_work(shape, image, mesh("ring" + degree));
        const WorkSplit by_tensor = split_work(shape, image, mesh("tp" + degree));
        // 12 heads over 8 ranks and the like are uneven; these are not.
        ASSERT_EQ(shape.heads % ranks, 0);
        for (int rank = 0; rank < ranks; ++rank) {
            EXPECT_EQ(ulysses_layer_bytes(shape, by_heads, rank, 2), ulysses) << name << ranks;
            EXPECT_EQ(ring_layer_bytes(shape, by_ring, rank, 2), ring) << name << ranks;
            EXPECT_EQ(tensor_forward_bytes(shape, by_tensor, rank, 2), tensor) << name << ranks;
            EXPECT_EQ(tensor_norm_forward_bytes(shape, by_tensor, rank), norms) << name << ranks;
        }
        EXPECT_EQ(pipe_border_bytes(shape, tokens, 2), border);
        // The table deals layers evenly where they do not divide; FLUX has 57.
        if (layers % ranks == 0) {
            EXPECT_EQ(pipe_store_bytes(shape, tokens, ranks, 2), store) << name << ranks;
        }
        EXPECT_EQ(static_cast<std::uint64_t>(2 * tokens * width * 2 * layers / ranks), store);
    }
    EXPECT_EQ(rows, 7);
}

TEST(CommunicationTest, UlyssesTimesRingSendsBothAxesBytes) {
    const TransformerShape shape = wan_shape(40, 13824, 40);
    const std::array<std::uint64_t, 3> rows[] = {{290304000, 193536000, 19353600000},
                                                 {193536000, 580608000, 30965760000},
                                                 {387072000, 387072000, 30965760000}};
    const char* meshes[] = {"ulysses4,ring2", "ulysses2,ring4", "ulysses2,ring2"};
    for (std::size_t i = 0; i < 3; ++i) {
        const WorkSplit split = split_work(shape, 75600, mesh(meshes[i]));
        for (int rank = 0; rank < split.mesh.ranks(); ++rank) {
            const std::uint64_t ulysses = ulysses_layer_bytes(shape, split, rank, 2);
            const std::uint64_t ring = ring_layer_bytes(shape, split, rank, 2);
            EXPECT_EQ(ulysses, rows[i][0]);
            EXPECT_EQ(ring, rows[i][1]);
            EXPECT_EQ(40 * (ulysses + ring), rows[i][2]);
        }
    }
}

/// Sums over all ranks that hold for any split.
TEST(CommunicationTest, UnevenSplitsKeepTheTotals) {
    for (const std::int64_t tokens : {8, 18, 27, 35, 50, 1001}) {
        for (const char* text : {"ulysses3", "ulysses5", "ring3", "ring7", "ulysses2,ring3", "tp2", "tp5",
                                 "cfg2,ulysses2,ring2,tp2", "cfg2,ulysses3,tp2"}) {
            const MeshShape shape_of_mesh = mesh(text);
            TransformerShape shape = wan_shape(10, 20, 3);
            const WorkSplit split = split_work(shape, tokens, shape_of_mesh);
            const int cfg = shape_of_mesh.degree(Axis::Cfg), tensor = shape_of_mesh.degree(Axis::Tensor);
            std::uint64_t ulysses = 0, ring = 0, sums = 0, norms = 0, guidance = 0;
            for (int rank = 0; rank < shape_of_mesh.ranks(); ++rank) {
                ulysses += ulysses_layer_bytes(shape, split, rank, 4);
                ring += ring_layer_bytes(shape, split, rank, 4);
                sums += tensor_forward_bytes(shape, split, rank, 4);
                norms += tensor_norm_forward_bytes(shape, split, rank);
                guidance += guidance_step_bytes(split, rank, 64);
            }
            const auto whole = static_cast<std::uint64_t>(tokens);
            std::uint64_t kept = 0; // sum over ring blocks of N_r * H - sum n_u h_u
            for (int r = 0; r < shape_of_mesh.degree(Axis::Ring); ++r) {
                kept += static_cast<std::uint64_t>(split.block(r) * (10 / tensor));
                for (int u = 0; u < shape_of_mesh.degree(Axis::Ulysses); ++u)
                    kept -= static_cast<std::uint64_t>(
                        split.slots[static_cast<std::size_t>(r * shape_of_mesh.degree(Axis::Ulysses) + u)] *
                        split.heads[static_cast<std::size_t>(u)]);
            }
            const auto copies = static_cast<std::uint64_t>(cfg * tensor);
            EXPECT_EQ(ulysses, copies * 4 * 128 * 4 * kept) << text << tokens;
            EXPECT_EQ(ring, static_cast<std::uint64_t>(cfg) * 2 * whole * 1280 * 4 *
                                static_cast<std::uint64_t>(shape_of_mesh.degree(Axis::Ring) - 1))
                << text << tokens;
            // Every element is sent twice to all but one: once to be summed, once as the sum.
            const auto others = static_cast<std::uint64_t>(2 * (tensor - 1) * cfg);
            EXPECT_EQ(sums, 9 * others * whole * 1280 * 4) << text << tokens;
            EXPECT_EQ(norms, 3 * others * whole * 3 * 4) << text << tokens;
            EXPECT_EQ(guidance, 4 * whole * 64 * static_cast<std::uint64_t>(cfg * (cfg - 1) * tensor));
        }
    }
}

TEST(CommunicationTest, JointAttentionSplitsTextAndImageEach) {
    const WorkSplit split = split_work(flux_shape(), 4096, mesh("ulysses3"));
    EXPECT_THAT(split.image, testing::ElementsAre(1366, 1365, 1365));
    EXPECT_THAT(split.slots, testing::ElementsAre(1366 + 171, 1365 + 171, 1365 + 170));
    EXPECT_THAT(split.heads, testing::ElementsAre(8, 8, 8));
    EXPECT_EQ(split.tokens, 4608);
}

TEST(CommunicationTest, SlotsAreTheSameOnEveryBranchAndTensorRank) {
    const WorkSplit split =
        split_work(wan_shape(12, 8960, 30), 11, mesh("cfg2,ulysses2,ring2,tp2"), {1, 1, 1, 2});
    EXPECT_EQ(std::accumulate(split.slots.begin(), split.slots.end(), std::int64_t{0}), 11);
    EXPECT_GT(split.slots[3], split.slots[0]);
    for (int rank = 0; rank < 16; ++rank) {
        EXPECT_EQ(split.own(rank), split.own(split.mesh.neighbour(rank, Axis::Cfg, 0)));
        EXPECT_EQ(split.own(rank), split.own(split.mesh.neighbour(rank, Axis::Tensor, 0)));
    }
}

TEST(VaeTrafficTest, BordersAndMessagesOfTheReference) {
    WanVaeConfig config;
    for (const auto& [height, width, elements] :
         {std::tuple{60, 104, 139691136}, std::tuple{90, 160, 214909440}}) {
        const VaeTraffic traffic = vae_traffic(config, 21, height, width, 4);
        EXPECT_EQ(traffic.side_bytes, static_cast<std::uint64_t>(elements) * 4);
        EXPECT_EQ(traffic.exchanges, 693);
        EXPECT_EQ(2 * traffic.exchanges, 1386); // messages of an inner band
        EXPECT_EQ(traffic.gather_frame_bytes, static_cast<std::uint64_t>(height * width * 384 * 4));
    }
}

TEST(VaeTrafficTest, InnerBandsHaveTwoBordersAndAllGatherTheMiddle) {
    const VaeTraffic traffic = vae_traffic({}, 2, 7, 5, 3); // rows 3, 2, 2
    const std::uint64_t row = 5 * 384 * 4;
    EXPECT_EQ(traffic.rank_bytes(0), traffic.side_bytes + 3 * row * 2 * 2);
    EXPECT_EQ(traffic.rank_bytes(1), 2 * traffic.side_bytes + 2 * row * 2 * 2);
    EXPECT_EQ(traffic.total_bytes(), 4 * traffic.side_bytes + 7 * row * 2 * 2);
    // No more bands than rows; one band sends nothing.
    EXPECT_EQ(vae_traffic({}, 2, 3, 5, 8).bands, 3);
    EXPECT_EQ(vae_traffic({}, 2, 1, 5, 8).total_bytes(), 0u);
}

TEST(VaeTrafficTest, TheResidualDecoderHasTheSameConvolutions) {
    const ModelPreset preset = model_preset("wan2.2-ti2v-5b");
    const VaeTraffic traffic = vae_traffic(preset.card->vae, 31, 44, 80, 2);
    EXPECT_EQ(traffic.exchanges, 33 * 31);
    // Inputs of the convolutions by level, as wan-vae.md lists them: each enlargement keeps its width.
    const std::int64_t first = 48 + 4 * 1024 + 6 * 1024;
    const std::int64_t second = 2 * (1024 + 6 * 1024);
    const std::int64_t third = 4 * (1024 + 1024 + 5 * 512);
    const std::int64_t fourth = 8 * (512 + 512 + 5 * 256 + 256);
    const std::int64_t elements = 80 * (first * 31 + second * 61 + third * 121 + fourth * 121);
    EXPECT_EQ(traffic.side_bytes, static_cast<std::uint64_t>(elements) * 4);
}

TEST(ForwardFlopTest, MatchesTheSpecification) {
    const std::tuple<TransformerShape, std::int64_t, double> rows[] = {
        {wan_shape(12, 8960, 30), 32760, 282.98},
        {wan_shape(40, 13824, 40), 32760, 1678.28},
        {wan_shape(40, 13824, 40), 75600, 6523.29},
        {wan_shape(24, 14336, 30), 27280, 516.92}};
    for (const auto& [shape, tokens, tflop] : rows) {
        const ForwardFlop flop = forward_flop(shape, tokens);
        // The specification's figures count the text's keys and values, which a job computes once.
        EXPECT_EQ(fixed((flop.total() + flop.context) / 1e12, 2), fixed(tflop, 2));
    }
}

} // namespace
} // namespace reelmesh
