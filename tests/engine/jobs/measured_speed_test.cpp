#include "jobs/measured_speed.h"

#include <gtest/gtest.h>

#include "device/hardware_presets.h"

namespace reelmesh {
namespace {

TEST(MeasuredSpeedTest, ReplacesTheProcessorsAssumedRatesAlone) {
    HardwareSnapshot machine = hardware_preset("1xh100-nvlink");
    machine.devices.push_back({"cpu", "a processor", 1, 1, false, assumed_cpu_rates(4)});
    MeasuredSpeed speed;
    HardwareSnapshot unchanged = machine;
    speed.correct(unchanged);
    EXPECT_EQ(unchanged.devices[1].rates.basis, "assumed");

    speed.remember(4e12, 8);
    speed.correct(machine);
    EXPECT_EQ(machine.devices[0].rates.basis, "preset");
    EXPECT_EQ(machine.devices[1].rates.basis, "measured");
    EXPECT_EQ(machine.devices[1].rates.gemm_flops, 5e11);
    EXPECT_EQ(machine.devices[1].rates.attention_flops, 5e11);
}

TEST(MeasuredSpeedTest, ShortJobsSayNothing) {
    HardwareSnapshot machine = hardware_preset("4xcpu");
    MeasuredSpeed speed;
    speed.remember(1e11, 8);
    speed.remember(1e13, 0.5);
    speed.correct(machine);
    EXPECT_EQ(machine.devices[0].rates.basis, "preset");
}

} // namespace
} // namespace reelmesh
