#include "models/device_load_model.h"

#include <QSignalSpy>

#include <cmath>

#include "app_fixture.h"
#include "support/load_samples.h"

namespace reelmesh {
namespace {

using testing::cpu_sample;
using testing::gpu_sample;

TEST(LoadHistoryTest, HoldsTheLastMinuteInARingOfFixedSize) {
    LoadHistory history;
    EXPECT_TRUE(std::isnan(history.last()));
    EXPECT_TRUE(std::isnan(history.peak()));
    for (int i = 0; i < 1000; ++i)
        history.add(std::int64_t(i) * 250'000'000, i);
    EXPECT_EQ(history.last(), 999);
    EXPECT_EQ(history.points().size(), 241U); // 60 s at 4 Hz, both ends
    EXPECT_EQ(history.points().front().value, 759);
    EXPECT_EQ(history.peak(), 999);
}

TEST(LoadHistoryTest, UnknownValuesStayUnknown) {
    LoadHistory history;
    history.add(1, 5);
    history.add(2, kUnknown);
    EXPECT_TRUE(std::isnan(history.last()));
    EXPECT_EQ(history.peak(), 5);
    history.add(2, 7); // the same moment
    EXPECT_TRUE(std::isnan(history.last()));
}

TEST(DeviceLoadModelTest, EntriesAreGpusRanksAndTheMachine) {
    DeviceLoadModel model;
    QSignalSpy arranged(&model, &DeviceLoadModel::entriesChanged);
    LoadSample sample = gpu_sample(1000, 2);
    sample.ranks = cpu_sample(0, 2).ranks;
    model.add(sample);
    ASSERT_EQ(model.entries().size(), 5U);
    EXPECT_EQ(model.entries()[1].kind, LoadEntry::Kind::Gpu);
    EXPECT_EQ(model.entries()[1].rank, -1); // runs nothing
    EXPECT_EQ(model.entries()[3].kind, LoadEntry::Kind::Rank);
    EXPECT_EQ(model.entries()[3].rank, 1);
    EXPECT_EQ(model.entries()[4].kind, LoadEntry::Kind::Machine);
    EXPECT_DOUBLE_EQ(model.entries()[0].value(LoadQuantity::Power), 612);
    EXPECT_DOUBLE_EQ(model.entries()[0].value(LoadQuantity::Link), 10.6e9);
    EXPECT_DOUBLE_EQ(model.entries()[3].value(LoadQuantity::Busy), 0.97);
    EXPECT_EQ(arranged.count(), 1);
    sample.time_ns += 250'000'000;
    model.add(sample);
    EXPECT_EQ(arranged.count(), 1);
}

TEST(DeviceLoadModelTest, ARankThatGoesTakesNothingOfTheOthersMinute) {
    DeviceLoadModel model;
    model.add(cpu_sample(1000, 2));
    model.add(cpu_sample(1250, 2));
    model.add(cpu_sample(1500, 1));
    ASSERT_EQ(model.entries().size(), 2U);
    EXPECT_EQ(model.entries()[0].history(LoadQuantity::Busy).points().size(), 3U);
    EXPECT_EQ(model.entries()[1].history(LoadQuantity::Free).points().size(), 3U);
    EXPECT_EQ(model.entries()[1].index, 1);
}

TEST(DeviceLoadModelTest, RateIsWhatTheSamplesSay) {
    DeviceLoadModel model;
    model.add(cpu_sample(1000, 1));
    EXPECT_EQ(model.samplesPerSecond(), 0);
    model.add(cpu_sample(1250, 1));
    EXPECT_EQ(model.samplesPerSecond(), 4);
    model.add(cpu_sample(2250, 1));
    EXPECT_EQ(model.samplesPerSecond(), 1);
    // A pause is no rate, and an old sample none at all.
    model.add(cpu_sample(60000, 1));
    model.add(cpu_sample(1, 1));
    EXPECT_EQ(model.samplesPerSecond(), 1);
}

TEST(DeviceLoadModelTest, RanksOfAPlanAreFoundOnTheirDevices) {
    DeviceLoadModel model;
    model.add(gpu_sample(1000, 2));
    model.setRanks({"cuda:1", "cuda:0"}, {"c0 u0", "c0 u1"});
    EXPECT_EQ(model.entries()[0].rank, 1);
    EXPECT_EQ(model.entries()[1].rank, 0);
    EXPECT_EQ(model.place(1), "c0 u1");
    EXPECT_EQ(model.place(-1), "");
}

TEST(DeviceLoadModelTest, AVideosEnergyIsWhatTheCounterRanDuringItsJob) {
    DeviceLoadModel model;
    LoadSample sample = gpu_sample(1000, 1);
    model.add(sample);
    EXPECT_TRUE(std::isnan(model.entries()[0].videoEnergy_j));
    model.apply(JobStateChanged{.state = JobState::Running, .stage = Stage::Load});
    sample.time_ns += 1'000'000'000;
    sample.devices[0].energy_j = 3500;
    model.add(sample);
    model.apply(JobStateChanged{.state = JobState::Done, .stage = Stage::Write});
    EXPECT_DOUBLE_EQ(model.entries()[0].videoEnergy_j, 2500);
}

} // namespace
} // namespace reelmesh
