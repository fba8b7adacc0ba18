#include "telemetry/writer.h"

#include <gtest/gtest.h>

#include <thread>

#include "telemetry/collector.h"

namespace reelmesh {
namespace {

TelemetryEvent event_at(std::int64_t start_ns) {
    TelemetryEvent event;
    event.start_ns = start_ns;
    return event;
}

TEST(TelemetryWriterTest, KeepsOrderAndCountsWhatDidNotFit) {
    TelemetryWriter writer(3, 4);
    for (int i = 0; i < 6; ++i)
        writer.write(event_at(i));
    std::vector<TelemetryEvent> events;
    writer.drain(events);
    ASSERT_EQ(events.size(), 4U);
    for (int i = 0; i < 4; ++i) {
        EXPECT_EQ(events[static_cast<std::size_t>(i)].start_ns, i);
        EXPECT_EQ(events[static_cast<std::size_t>(i)].rank, 3);
    }
    EXPECT_EQ(writer.dropped(), 2U);
}

TEST(TelemetryWriterTest, CostOfAnEventIsMeasuredOnce) {
    const double cost = event_cost_ns();
    EXPECT_GT(cost, 0);
    EXPECT_LT(cost, 1e5) << "a hang guard";
    EXPECT_EQ(event_cost_ns(), cost);
}

TEST(TelemetryWriterTest, OneProducerAndOneConsumerLoseNothingUncounted) {
    constexpr int kEvents = 100000;
    TelemetryWriter writer(0, 256);
    std::thread producer([&] {
        for (int i = 0; i < kEvents; ++i)
            writer.write(event_at(i));
    });
    std::vector<TelemetryEvent> events;
    while (events.size() + writer.dropped() < kEvents)
        writer.drain(events);
    producer.join();
    writer.drain(events);
    EXPECT_EQ(events.size() + writer.dropped(), static_cast<std::size_t>(kEvents));
    for (std::size_t i = 1; i < events.size(); ++i)
        ASSERT_LT(events[i - 1].start_ns, events[i].start_ns);
}

TEST(TelemetryCollectorTest, HandsOutEachEventOnceAndKeepsAll) {
    TelemetryWriter first(0), second(1, 2);
    std::size_t handed_out = 0;
    std::uint64_t lost = 0;
    TelemetryCollector collector(true, [&](const auto& events, std::uint64_t dropped) {
        handed_out += events.size();
        lost += dropped;
    });
    collector.add(first);
    collector.add(second);
    first.write(event_at(1));
    collector.collect();
    for (int i = 0; i < 5; ++i)
        second.write(event_at(i));
    collector.remove(second);
    second.write(event_at(9));
    collector.collect();
    EXPECT_EQ(handed_out, 3U);
    EXPECT_EQ(lost, 3U);
    EXPECT_EQ(collector.kept().size(), 3U);
    EXPECT_EQ(collector.dropped(), 3U);
}

} // namespace
} // namespace reelmesh
