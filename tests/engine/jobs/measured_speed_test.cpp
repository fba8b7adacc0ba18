#include "jobs/measured_speed.h"

#include <gtest/gtest.h>

#include "device/hardware_presets.h"

namespace reelmesh {
namespace {

/// Two cards of one kind, one of another, and a processor.
HardwareSnapshot machine() {
    HardwareSnapshot made = hardware_preset("2xh100-nvlink");
    made.preset.clear();
    made.devices.push_back({"cuda:2", "another card", 1, 1, true, {}});
    made.devices.push_back({"cpu", "a processor", 1, 1, false, assumed_cpu_rates(4)});
    return made;
}

TEST(MeasuredSpeedTest, ReplacesTheRatesOfTheDevicesThatComputed) {
    MeasuredSpeed speed;
    HardwareSnapshot unchanged = machine();
    speed.correct(unchanged);
    EXPECT_EQ(unchanged.devices[3].rates.basis, "assumed");

    HardwareSnapshot corrected = machine();
    speed.remember({"cpu", "cpu"}, corrected, c10::ScalarType::Float, 4e12, 8);
    speed.correct(corrected);
    EXPECT_EQ(corrected.devices[0].rates.basis, "preset");
    EXPECT_EQ(corrected.devices[3].rates.basis, "measured");
    EXPECT_EQ(corrected.devices[3].rates.gemm_flops, 5e11);
    EXPECT_EQ(corrected.devices[3].rates.attention_flops, 5e11);
}

TEST(MeasuredSpeedTest, CardsOfOneKindShareWhatTheyDidTogether) {
    MeasuredSpeed speed;
    HardwareSnapshot corrected = machine();
    speed.remember({"cuda:0", "cuda:1", "cuda:0", "cuda:1"}, corrected, c10::ScalarType::BFloat16, 4e15, 4);
    speed.correct(corrected);
    EXPECT_EQ(corrected.devices[0].rates.gemm_flops, 5e14);
    EXPECT_EQ(corrected.devices[1].rates.gemm_flops, 5e14);
    EXPECT_EQ(corrected.devices[1].rates.basis, "measured");
    EXPECT_NE(corrected.devices[2].rates.basis, "measured");
}

TEST(MeasuredSpeedTest, WhatSaysNothingOfADeviceIsIgnored) {
    const HardwareSnapshot before = machine();
    MeasuredSpeed speed;
    speed.remember({"cpu"}, before, c10::ScalarType::Float, 1e11, 8);    // too little work
    speed.remember({"cpu"}, before, c10::ScalarType::Float, 1e13, 0.5);  // too short
    speed.remember({"cuda:0"}, before, c10::ScalarType::Float, 1e15, 4); // rates are those of bf16
    speed.remember({"cuda:0", "cuda:2"}, before, c10::ScalarType::BFloat16, 1e15, 4); // unlike cards
    HardwareSnapshot corrected = machine();
    speed.correct(corrected);
    for (const DeviceSummary& device : corrected.devices)
        EXPECT_NE(device.rates.basis, "measured") << device.name;
}

TEST(MeasuredSpeedTest, APresetStaysAsItIs) {
    MeasuredSpeed speed;
    HardwareSnapshot preset = hardware_preset("1xh100-nvlink");
    speed.remember({"cuda:0"}, preset, c10::ScalarType::BFloat16, 4e15, 4);
    speed.correct(preset);
    EXPECT_EQ(preset.devices[0].rates.basis, "preset");
}

} // namespace
} // namespace reelmesh
