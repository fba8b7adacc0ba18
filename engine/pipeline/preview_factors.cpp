// Linear maps from latents to RGB, one a latent space. The maps of the Wan VAEs are the published
// fits of a widely used program; the sample model's was fitted by tools/sample_model/fit_preview.py to its
// own decoder.
#include <ATen/ATen.h>

#include <array>
#include <cmath>
#include <span>

#include "pipeline/preview_stage.h"

namespace reelmesh {
namespace {

using Row = std::array<float, 3>;

constexpr std::array<Row, 16> kWan21{{
    {-0.1299F, -0.1692F, 0.2932F},
    {0.0671F, 0.0406F, 0.0442F},
    {0.3568F, 0.2548F, 0.1747F},
    {0.0372F, 0.2344F, 0.1420F},
    {0.0313F, 0.0189F, -0.0328F},
    {0.0296F, -0.0956F, -0.0665F},
    {-0.3477F, -0.4059F, -0.2925F},
    {0.0166F, 0.1902F, 0.1975F},
    {-0.0412F, 0.0267F, -0.1364F},
    {-0.1293F, 0.0740F, 0.1636F},
    {0.0680F, 0.3019F, 0.1128F},
    {0.0032F, 0.0581F, 0.0639F},
    {-0.1251F, 0.0927F, 0.1699F},
    {0.0060F, -0.0633F, 0.0005F},
    {0.3477F, 0.2275F, 0.2950F},
    {0.1984F, 0.0913F, 0.1861F},
}};
constexpr Row kWan21Bias{-0.1835F, -0.0868F, -0.3360F};

constexpr std::array<Row, 48> kWan22{{
    {0.0119F, 0.0103F, 0.0046F},    {-0.1062F, -0.0504F, 0.0165F},  {0.0140F, 0.0409F, 0.0491F},
    {-0.0813F, -0.0677F, 0.0607F},  {0.0656F, 0.0851F, 0.0808F},    {0.0264F, 0.0463F, 0.0912F},
    {0.0295F, 0.0326F, 0.0590F},    {-0.0244F, -0.0270F, 0.0025F},  {0.0443F, -0.0102F, 0.0288F},
    {-0.0465F, -0.0090F, -0.0205F}, {0.0359F, 0.0236F, 0.0082F},    {-0.0776F, 0.0854F, 0.1048F},
    {0.0564F, 0.0264F, 0.0561F},    {0.0006F, 0.0594F, 0.0418F},    {-0.0319F, -0.0542F, -0.0637F},
    {-0.0268F, 0.0024F, 0.0260F},   {0.0539F, 0.0265F, 0.0358F},    {-0.0359F, -0.0312F, -0.0287F},
    {-0.0285F, -0.1032F, -0.1237F}, {0.1041F, 0.0537F, 0.0622F},    {-0.0086F, -0.0374F, -0.0051F},
    {0.0390F, 0.0670F, 0.2863F},    {0.0069F, 0.0144F, 0.0082F},    {0.0006F, -0.0167F, 0.0079F},
    {0.0313F, -0.0574F, -0.0232F},  {-0.1454F, -0.0902F, -0.0481F}, {0.0714F, 0.0827F, 0.0447F},
    {-0.0304F, -0.0574F, -0.0196F}, {0.0401F, 0.0384F, 0.0204F},    {-0.0758F, -0.0297F, -0.0014F},
    {0.0568F, 0.1307F, 0.1372F},    {-0.0055F, -0.0310F, -0.0380F}, {0.0239F, -0.0305F, 0.0325F},
    {-0.0663F, -0.0673F, -0.0140F}, {-0.0416F, -0.0047F, -0.0023F}, {0.0166F, 0.0112F, -0.0093F},
    {-0.0211F, 0.0011F, 0.0331F},   {0.1833F, 0.1466F, 0.2250F},    {-0.0368F, 0.0370F, 0.0295F},
    {-0.3441F, -0.3543F, -0.2008F}, {-0.0479F, -0.0489F, -0.0420F}, {-0.0660F, -0.0153F, 0.0800F},
    {-0.0101F, 0.0068F, 0.0156F},   {-0.0690F, -0.0452F, -0.0927F}, {-0.0145F, 0.0041F, 0.0015F},
    {0.0421F, 0.0451F, 0.0373F},    {0.0504F, -0.0483F, -0.0356F},  {-0.0837F, 0.0168F, 0.0055F},
}};
constexpr Row kWan22Bias{0.0317F, -0.0878F, -0.1388F};

constexpr std::array<Row, 16> kSample{{
    {-0.0792F, -0.1133F, -0.2148F},
    {-0.0641F, -0.0625F, 0.1353F},
    {-0.0194F, -0.1155F, -0.1468F},
    {-0.0687F, 0.1415F, 0.2513F},
    {0.1588F, 0.0036F, -0.0920F},
    {-0.0610F, -0.2591F, 0.0641F},
    {-0.0953F, -0.3891F, -0.2105F},
    {0.2644F, 0.4654F, 0.1753F},
    {0.0790F, -0.1688F, 0.0188F},
    {-0.0071F, -0.1942F, -0.3500F},
    {-0.0039F, -0.2182F, -0.0161F},
    {0.1304F, 0.2040F, 0.0775F},
    {0.0552F, 0.3713F, 0.0859F},
    {-0.1124F, -0.6964F, -0.3351F},
    {-0.0707F, 0.2091F, 0.0570F},
    {0.0114F, -0.1517F, 0.0173F},
}};
constexpr Row kSampleBias{0.0798F, 0.1075F, 0.1593F};

/// A space is told by the first entries of latents_mean and latents_std: normalisation is part of the space.
struct KnownSpace {
    double first_mean, first_std;
    std::span<const Row> rows;
    Row bias;
};

const std::array kKnown{
    KnownSpace{-0.7571, 2.8184, kWan21, kWan21Bias},
    KnownSpace{-0.2289, 0.4765, kWan22, kWan22Bias},
    KnownSpace{-0.0907, 1.4371, kSample, kSampleBias},
};

bool matches(const KnownSpace& space, const WanVaeConfig& vae) {
    const auto near = [](double a, double b) { return std::abs(a - b) < 1e-4; };
    return static_cast<std::size_t>(vae.z_dim) == space.rows.size() && !vae.latents_mean.empty() &&
           near(vae.latents_mean.front(), space.first_mean) && near(vae.latents_std.front(), space.first_std);
}

} // namespace

std::optional<PreviewFactors> preview_factors(const WanVaeConfig& vae) {
    for (const KnownSpace& space : kKnown) {
        if (!matches(space, vae)) continue;
        const at::Tensor matrix = at::empty({vae.z_dim, 3}, at::kFloat);
        std::copy_n(space.rows.front().data(), vae.z_dim * 3, matrix.data_ptr<float>());
        const at::Tensor bias = at::empty({3}, at::kFloat);
        std::copy_n(space.bias.data(), 3, bias.data_ptr<float>());
        return PreviewFactors{matrix, bias};
    }
    return std::nullopt;
}

} // namespace reelmesh
