// Whatever is missing for CUDA, the engine runs and says the one true reason.
#include "device/cuda_backend.h"

#include <gmock/gmock.h>

#include <cstdlib>

namespace reelmesh {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

constexpr const char* kAnyLibrary = "libm.so.6"; ///< stands for a driver that is there
constexpr const char* kNoLibrary = "libreelmesh_nothing.so";

std::string reason(const std::string& driver, const std::string& part) {
    const CudaPart opened = open_cuda_part({driver, part});
    EXPECT_EQ(opened.backend, nullptr);
    EXPECT_THAT(opened.reason, EndsWith("; ranks run on the CPU."));
    EXPECT_EQ(opened.reason.find('\n'), std::string::npos);
    return opened.reason;
}

class FakeGpus {
public:
    explicit FakeGpus(const char* what) { setenv("REELMESH_FAKE_GPUS", what, 1); }
    ~FakeGpus() { unsetenv("REELMESH_FAKE_GPUS"); }
};

TEST(CudaBackendTest, WithoutADriverNothingElseIsLookedFor) {
    EXPECT_THAT(reason(kNoLibrary, REELMESH_FAKE_CUDA_PART), HasSubstr("No NVIDIA driver is installed"));
}

TEST(CudaBackendTest, APartThatDoesNotLoadGivesTheLoadersWords) {
    EXPECT_THAT(reason(kAnyLibrary, kNoLibrary),
                HasSubstr("could not be loaded (libreelmesh_nothing.so: cannot open"));
}

TEST(CudaBackendTest, APartOfAnotherVersionIsRefused) {
    EXPECT_THAT(reason(kAnyLibrary, kAnyLibrary), HasSubstr("is from another version"));
}

TEST(CudaBackendTest, ADriverWithoutGpusIsNoGpu) {
    const FakeGpus none("none");
    EXPECT_THAT(reason(kAnyLibrary, REELMESH_FAKE_CUDA_PART), HasSubstr("it shows no GPU"));
}

TEST(CudaBackendTest, ADriverThatCannotBeUsedGivesItsWords) {
    const FakeGpus old("old driver");
    EXPECT_THAT(reason(kAnyLibrary, REELMESH_FAKE_CUDA_PART), HasSubstr("the driver is too old"));
}

TEST(CudaBackendTest, WhereAllIsThereNoReasonIsGiven) {
    const CudaPart part = open_cuda_part({kAnyLibrary, REELMESH_FAKE_CUDA_PART});
    ASSERT_NE(part.backend, nullptr);
    EXPECT_EQ(part.reason, "");
    EXPECT_EQ(part.backend->devices().at(0).name, "Fake GPU");
}

TEST(CudaBackendTest, TheMachinesOwnAnswerIsOneOrTheOther) {
    EXPECT_EQ(cuda_part().backend == nullptr, !cuda_part().reason.empty());
}

} // namespace
} // namespace reelmesh
