#include "device/gpus.h"

#include <gtest/gtest.h>

#include <cmath>

#include "device/hardware_presets.h"

namespace reelmesh {
namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

CudaDevice gpu(int index, const std::string& name, std::vector<bool> reads) {
    return {.index = index,
            .name = name,
            .total_bytes = 80 * kGiB,
            .free_bytes = 60 * kGiB,
            .own_bytes = 15 * kGiB,
            .major = 9,
            .reads_memory = std::move(reads)};
}

TEST(GpusTest, FollowTheCpuWithRatesAndLinks) {
    HardwareSnapshot machine = hardware_preset("cpu");
    add_gpus(machine,
             {gpu(0, "NVIDIA H100 80GB HBM3", {true, true, false}),
              gpu(1, "NVIDIA H100 80GB HBM3", {true, true, false}), gpu(2, "A card", {false, false, true})});
    ASSERT_EQ(machine.devices.size(), 4U);
    const DeviceSummary& first = machine.devices[1];
    EXPECT_EQ(first.id, "cuda:0");
    EXPECT_EQ(first.free_bytes, 75 * kGiB) << "what this process holds is planned again";
    EXPECT_TRUE(first.fast_bf16);
    EXPECT_EQ(first.rates.basis, "preset");
    EXPECT_EQ(first.rates.gemm_flops, 600e12);
    EXPECT_EQ(machine.devices[3].rates.basis, "assumed");
    const auto kind = [&](int from, int to) {
        for (const LinkSummary& link : machine.links)
            if (link.from == from && link.to == to) return link.kind;
        return std::string("none");
    };
    EXPECT_EQ(kind(1, 2), "nvlink");
    EXPECT_EQ(kind(1, 3), "staged");
}

TEST(GpusTest, CardsAreFoundByTheDriversNames) {
    EXPECT_EQ(card_preset("NVIDIA H100 PCIe").link.kind, "pcie");
    EXPECT_EQ(card_preset("NVIDIA H100 80GB HBM3").link.kind, "nvlink");
    EXPECT_EQ(card_preset("NVIDIA H200").rates.memory_bytes_per_s, 4.8e12);
    EXPECT_EQ(card_preset("NVIDIA A100-SXM4-80GB").rates.gemm_flops, 240e12);
    EXPECT_EQ(card_preset("NVIDIA GeForce RTX 4090").rates.gemm_flops, 150e12);
    EXPECT_EQ(card_preset("NVIDIA L40S").rates.basis, "preset");
    EXPECT_EQ(card_preset("Tesla K80").rates.basis, "assumed");
}

TEST(GpusTest, UnlikeCardsHaveTheSlowerOnesLink) {
    HardwareSnapshot machine = hardware_preset("cpu");
    add_gpus(machine, {gpu(0, "NVIDIA H100 80GB HBM3", {true, true}), gpu(1, "NVIDIA L40S", {true, true})});
    for (const LinkSummary& link : machine.links)
        if (link.from != link.to) EXPECT_EQ(link.bytes_per_s, 22e9);
}

TEST(GpusTest, MeasuredLinksReplaceThePresetsWhereTheyAreFarFromThem) {
    HardwareSnapshot machine = hardware_preset("cpu");
    std::vector<CudaDevice> devices{gpu(0, "NVIDIA H100 80GB HBM3", {true, true}),
                                    gpu(1, "NVIDIA H100 80GB HBM3", {true, true})};
    devices[0].bytes_per_s = {0, 2.7e10}; // far from the preset
    devices[1].bytes_per_s = {2.7e11, 0}; // near it
    add_gpus(machine, devices);
    const auto rate = [&](int from, int to) {
        for (const LinkSummary& link : machine.links)
            if (link.from == from && link.to == to) return link.bytes_per_s;
        return 0.0;
    };
    EXPECT_EQ(rate(2, 1), std::exp2(35)) << "the first reads the second";
    EXPECT_EQ(rate(1, 2), 300e9) << "what differs from run to run changes no plan";
}

} // namespace
} // namespace reelmesh
