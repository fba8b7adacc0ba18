// Values as the driver says them, unknown ones unknown, and a device that is lost told as such.
#include "device/nvml.h"

#include <gmock/gmock.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "device/device_reader.h"
#include "support/driver_script.h"

namespace reelmesh {
namespace {

using testing::DriverScript;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kTwoGpus;

TEST(NvmlTest, DevicesStandInPciOrderWithTheirValues) {
    const DriverScript script(kTwoGpus);
    Nvml nvml(REELMESH_NVML_STUB);
    const std::vector<DeviceLoad> loads = nvml.read(PcieRead::Measure);
    ASSERT_EQ(loads.size(), 2U);
    EXPECT_EQ(loads[0].bus_id, "00000000:18:00.0");
    EXPECT_EQ(loads[0].id, "cuda:0");
    const DeviceLoad& load = loads[1];
    EXPECT_EQ(load.id, "cuda:1");
    EXPECT_EQ(load.name, "NVIDIA H100");
    EXPECT_EQ(load.uuid, "GPU-b");
    EXPECT_EQ(load.bus_id, "00000000:AB:00.0");
    EXPECT_DOUBLE_EQ(load.utilization, 0.99);
    EXPECT_DOUBLE_EQ(load.memory_total_bytes, 85899345920.0);
    EXPECT_DOUBLE_EQ(load.memory_used_bytes, 36077725286.0);
    EXPECT_DOUBLE_EQ(load.power_w, 648);
    EXPECT_DOUBLE_EQ(load.power_limit_w, 700);
    EXPECT_DOUBLE_EQ(load.energy_j, 5000);
    EXPECT_DOUBLE_EQ(load.temperature_c, 83);
    EXPECT_DOUBLE_EQ(load.sm_mhz, 1590);
    EXPECT_DOUBLE_EQ(load.sm_max_mhz, 1980);
    EXPECT_DOUBLE_EQ(load.pcie_generation, 5);
    EXPECT_DOUBLE_EQ(load.pcie_width, 16);
    EXPECT_DOUBLE_EQ(load.pcie_tx_bytes_per_s, 2000 * 1024.0);
    EXPECT_DOUBLE_EQ(load.pcie_rx_bytes_per_s, 1000 * 1024.0);
    // Idle is no reason to be slow.
    EXPECT_THAT(load.throttle, ElementsAre("SW thermal"));
    EXPECT_EQ(load.lost, "");
    EXPECT_EQ(nvml.facts().driver, "550.90.07");
    EXPECT_EQ(nvml.facts().cuda_major, 12);
    EXPECT_EQ(nvml.facts().cuda_minor, 4);
}

TEST(NvmlTest, WhatADeviceDoesNotSupportIsUnknownAndNotZero) {
    const DriverScript script(kTwoGpus);
    const DeviceLoad load = Nvml(REELMESH_NVML_STUB).read(PcieRead::Measure).front();
    EXPECT_EQ(load.utilization, 0);
    EXPECT_EQ(load.memory_used_bytes, 10);
    for (const double value :
         {load.power_w, load.power_limit_w, load.energy_j, load.temperature_c, load.sm_mhz, load.sm_max_mhz,
          load.pcie_generation, load.pcie_width, load.pcie_rx_bytes_per_s, load.pcie_tx_bytes_per_s,
          load.nvlink_rx_bytes_per_s, load.nvlink_tx_bytes_per_s})
        EXPECT_TRUE(std::isnan(value));
}

TEST(NvmlTest, AnOlderLibraryGivesWhatItHas) {
    const DriverScript script(kTwoGpus);
    const DeviceLoad load = Nvml(REELMESH_NVML_STUB_OLD).read(PcieRead::Skip).back();
    EXPECT_DOUBLE_EQ(load.utilization, 0.99);
    EXPECT_DOUBLE_EQ(load.memory_used_bytes, 36077725286.0); // by the older call
    EXPECT_THAT(load.throttle, ElementsAre("SW thermal"));   // by the older name
    EXPECT_TRUE(std::isnan(load.energy_j));
    EXPECT_TRUE(std::isnan(load.nvlink_tx_bytes_per_s));
    EXPECT_TRUE(std::isnan(load.pcie_tx_bytes_per_s));
}

TEST(NvmlTest, LinkRatesComeFromTwoReadingsOfTheCounters) {
    DriverScript script(kTwoGpus);
    Nvml nvml(REELMESH_NVML_STUB);
    EXPECT_TRUE(std::isnan(nvml.read(PcieRead::Skip).back().nvlink_tx_bytes_per_s));
    std::string later = kTwoGpus;
    later.replace(later.find("nvlink_sent 1000"), 16, "nvlink_sent 1001000");
    script.set(later);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    const auto before = std::chrono::steady_clock::now();
    const DeviceLoad load = nvml.read(PcieRead::Skip).back();
    // A million KiB in a tenth of a second and what the machine was late.
    EXPECT_LE(load.nvlink_tx_bytes_per_s, 1e6 * 1024 / 0.1);
    EXPECT_GT(load.nvlink_tx_bytes_per_s, 1e6 * 1024 / 60);
    EXPECT_EQ(load.nvlink_rx_bytes_per_s, 0);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(60));
}

TEST(NvmlTest, ADeviceThatIsLostSaysSoAndIsAskedNoMore) {
    std::string text = kTwoGpus;
    text.insert(text.find("name NVIDIA H100"), "lost_at 12\nxid 79\n");
    const DriverScript script(text);
    Nvml nvml(REELMESH_NVML_STUB);
    for (int turn = 0; turn < 3; ++turn) {
        const std::vector<DeviceLoad> loads = nvml.read(PcieRead::Measure);
        EXPECT_EQ(loads[1].lost, "GPU is lost (Xid 79)");
        EXPECT_EQ(loads[1].name, "NVIDIA H100");
        EXPECT_TRUE(std::isnan(loads[1].utilization));
        EXPECT_TRUE(std::isnan(loads[1].temperature_c));
        // The other one goes on.
        EXPECT_EQ(loads[0].lost, "");
        EXPECT_EQ(loads[0].utilization, 0);
    }
    EXPECT_THAT(nvml.facts().lost, ElementsAre("NVIDIA H100 at 00000000:AB:00.0: GPU is lost (Xid 79)"));
}

TEST(NvmlTest, WithoutItsLibraryThereIsNothing) {
    Nvml nvml("libreelmesh_nothing.so");
    EXPECT_THAT(nvml.read(PcieRead::Measure), IsEmpty());
    EXPECT_EQ(nvml.facts().driver, "");
    EXPECT_EQ(nvml.facts().failure, "libreelmesh_nothing.so was not found");
}

TEST(NvmlTest, ALibraryThatDoesNotStartGivesItsWords) {
    const DriverScript script("init 18\ndriver 550.90.07\n");
    Nvml nvml(REELMESH_NVML_STUB);
    EXPECT_THAT(nvml.read(PcieRead::Measure), IsEmpty());
    EXPECT_EQ(nvml.facts().failure, "Driver/library version mismatch");
}

TEST(NvmlTest, AnyLibraryInItsPlaceIsNoReasonToFall) {
    Nvml nvml("libm.so.6");
    EXPECT_THAT(nvml.read(PcieRead::Measure), IsEmpty());
    EXPECT_THAT(nvml.facts().failure, HasSubstr("nvmlInit_v2"));
}

TEST(DeviceReaderTest, ADriverThatDoesNotReturnKeepsNobodyWaiting) {
    DriverScript script(kTwoGpus);
    const auto start = std::chrono::steady_clock::now();
    {
        DeviceReader reader(REELMESH_NVML_STUB);
        ASSERT_EQ(reader.read(PcieRead::Skip, std::chrono::seconds(20)).devices.size(), 2U);
        std::string text = kTwoGpus;
        text.insert(text.find("name NVIDIA H100"), "hang_ms 3000\n");
        script.set(text);
        DeviceReading reading = reader.read(PcieRead::Skip, std::chrono::milliseconds(10));
        EXPECT_EQ(reading.devices.at(1).lost, ""); // not at once
        std::this_thread::sleep_for(DeviceReader::kPatience);
        reading = reader.read(PcieRead::Skip, std::chrono::milliseconds(10));
        EXPECT_THAT(reading.devices.at(1).lost, HasSubstr("the driver has not answered for 2 s"));
        EXPECT_TRUE(std::isnan(reading.devices.at(1).utilization));
        EXPECT_EQ(reading.driver.lost.size(), 2U);
    }
    // The destructor gave up on it too: 13 questions of 3 s were still to come.
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(15));
}

} // namespace
} // namespace reelmesh
