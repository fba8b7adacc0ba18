// One true sentence for each way to have no GPU.
#include "device/no_gpu_reason.h"

#include <gtest/gtest.h>

#include "support/driver_script.h"

namespace reelmesh {
namespace {

using testing::DriverScript;

constexpr const char* kNoLibrary = "libreelmesh_nothing.so";

class NoGpuReasonTest : public ::testing::Test {
protected:
    ~NoGpuReasonTest() override { unsetenv("REELMESH_FAKE_GPUS"); }

    static std::string reason(const std::string& driver, const std::string& part, const std::string& nvml,
                              const char* visible = nullptr) {
        Nvml library(nvml);
        library.read(PcieRead::Skip);
        return no_gpu_reason(open_cuda_part({driver, part}), library.facts(), visible);
    }
};

TEST_F(NoGpuReasonTest, NoDriver) {
    EXPECT_EQ(reason(kNoLibrary, REELMESH_FAKE_CUDA_PART, kNoLibrary),
              "No NVIDIA driver is installed (libreelmesh_nothing.so was not found); ranks run on the CPU.");
}

TEST_F(NoGpuReasonTest, DriverTooOldNamesFoundAndNeeded) {
    setenv("REELMESH_FAKE_GPUS", "old driver", 1);
    const DriverScript script(testing::kTwoGpus);
    EXPECT_EQ(
        reason(REELMESH_CUDA_STUB, REELMESH_FAKE_CUDA_PART, REELMESH_NVML_STUB, ""),
        "NVIDIA driver 550.90.07 is too old: it runs CUDA 12.4, this build is of CUDA 13.0, which needs "
        "driver 580.65 or newer; ranks run on the CPU.");
}

TEST_F(NoGpuReasonTest, HiddenNamesTheVariableAndItsValue) {
    setenv("REELMESH_FAKE_GPUS", "none", 1);
    std::string text = testing::kTwoGpus;
    text.replace(text.find("12040"), 5, "13000");
    const DriverScript script(text);
    EXPECT_EQ(reason(REELMESH_CUDA_STUB, REELMESH_FAKE_CUDA_PART, REELMESH_NVML_STUB, "-1"),
              "CUDA_VISIBLE_DEVICES=-1 hides all 2 GPUs; ranks run on the CPU.");
    EXPECT_EQ(reason(REELMESH_CUDA_STUB, REELMESH_FAKE_CUDA_PART, REELMESH_NVML_STUB, ""),
              "CUDA_VISIBLE_DEVICES=\"\" hides all 2 GPUs; ranks run on the CPU.");
    EXPECT_EQ(reason(REELMESH_CUDA_STUB, REELMESH_FAKE_CUDA_PART, REELMESH_NVML_STUB),
              "An NVIDIA driver is here, but it shows no GPU; ranks run on the CPU.");
}

TEST_F(NoGpuReasonTest, ABuildForTheCpuSaysSo) {
    const DriverScript script(testing::kTwoGpus);
    const Nvml library(REELMESH_NVML_STUB);
    const CudaPart part = open_cuda_part({.driver = REELMESH_CUDA_STUB, .part_name = kNoLibrary});
    EXPECT_EQ(no_gpu_reason(part, library.facts(), ""),
              "An NVIDIA driver is here, but this build is for the CPU only: it has no CUDA part "
              "(libreelmesh_nothing.so); ranks run on the CPU.");
}

TEST_F(NoGpuReasonTest, DevicesThatAreLostAreNamed) {
    const DriverScript script(
        "driver 580.82.07\ncuda 13000\ngpu 00000000:18:00.0\nname NVIDIA H200\nlost_at 4\n");
    const std::string lost = "NVIDIA H200 at 00000000:18:00.0: GPU is lost; ranks run on the CPU.";
    EXPECT_EQ(reason(REELMESH_CUDA_STUB, REELMESH_FAKE_CUDA_PART, REELMESH_NVML_STUB), lost);
    setenv("REELMESH_FAKE_GPUS", "none", 1);
    EXPECT_EQ(reason(REELMESH_CUDA_STUB, REELMESH_FAKE_CUDA_PART, REELMESH_NVML_STUB), lost);
}

TEST_F(NoGpuReasonTest, WhereGpusAreThereIsNothingToSay) {
    const DriverScript script("driver 580.82.07\ncuda 13000\ngpu 00000000:18:00.0\nname NVIDIA H200\n");
    EXPECT_EQ(reason(REELMESH_CUDA_STUB, REELMESH_FAKE_CUDA_PART, REELMESH_NVML_STUB), "");
    EXPECT_EQ(reason(REELMESH_CUDA_STUB, REELMESH_FAKE_CUDA_PART, kNoLibrary), "");
}

} // namespace
} // namespace reelmesh
