// What the plan is told against what a process really takes.
#include <malloc.h>

#include <fstream>

#include "vae_fixture.h"

namespace reelmesh {
namespace {

/// VmRSS or VmHWM of this process.
std::uint64_t process_bytes(const std::string& key) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == key + ":") {
            std::uint64_t kilobytes = 0;
            status >> kilobytes;
            return kilobytes * 1024;
        }
    return 0;
}

struct Size {
    std::int64_t chunk, height, width;
};
class DecodeBytesTest : public ::testing::TestWithParam<Size> {};

TEST_P(DecodeBytesTest, IsNotBelowWhatTheProcessTakesAndLittleAbove) {
#ifdef REELMESH_SANITIZED
    GTEST_SKIP() << "a sanitizer's allocator keeps freed memory";
#endif
    const Size size = GetParam();
    const std::string folder = REELMESH_RESOURCES "/sample-model";
    const ModelCard card = read_model_card(folder);
    const auto vae = testing::vae_of_model(folder);
    testing::decode_whole(*vae, at::randn({16, 2, 1, 2})); // the library's own start
    const at::Tensor latents = at::randn({16, size.chunk, size.height, size.width});

    malloc_trim(0);
    std::ofstream("/proc/self/clear_refs") << "5" << std::flush; // the high-water mark starts again
    const std::uint64_t before = process_bytes("VmRSS");
    const auto run = vae->start_decode();
    for (int chunk = 0; chunk < 2; ++chunk)
        run->decode(latents);
    const double measured = static_cast<double>(process_bytes("VmHWM") - before);
    const double stated =
        static_cast<double>(vae_decode_bytes(card.vae, size.chunk, size.height, size.width));
    EXPECT_GE(stated, measured);
    EXPECT_LE(stated, 1.25 * measured);
}

INSTANTIATE_TEST_SUITE_P(Sizes, DecodeBytesTest,
                         ::testing::Values(Size{1, 32, 32}, Size{2, 40, 28}, Size{4, 24, 48},
                                           Size{1, 48, 64}),
                         [](const auto& info) {
                             const Size& size = info.param;
                             return "Chunk" + std::to_string(size.chunk) + "_" + std::to_string(size.height) +
                                    "x" + std::to_string(size.width);
                         });

} // namespace
} // namespace reelmesh
