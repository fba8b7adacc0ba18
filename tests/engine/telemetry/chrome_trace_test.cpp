#include "telemetry/chrome_trace.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "engine/error.h"

namespace reelmesh {
namespace {

TelemetryEvent span(EventKind kind, std::int64_t start_ns, std::int64_t end_ns, std::int16_t rank) {
    TelemetryEvent event;
    event.kind = kind;
    event.start_ns = start_ns;
    event.end_ns = end_ns;
    event.rank = rank;
    return event;
}

TEST(ChromeTraceTest, SlicesNestAndTracksAreNamed) {
    std::vector<TelemetryEvent> events{
        span(EventKind::Block, 2000, 3000, 1), span(EventKind::Step, 1000, 5000, 1),
        span(EventKind::Stage, 1000, 9000, -1), span(EventKind::Exchange, 3000, 4500, 1)};
    events[2].detail = static_cast<std::uint16_t>(Stage::Denoise);
    events[3].bytes = 4096;
    events[3].wait_ns = 500;
    const auto trace = nlohmann::json::parse(chrome_trace_json(events, {}, 7, "cfg2"));
    EXPECT_EQ(trace["otherData"]["dropped"], 7);
    EXPECT_EQ(trace["otherData"]["mesh"], "cfg2");

    std::map<std::pair<int, int>, std::vector<std::pair<double, double>>> open;
    int slices = 0, names = 0;
    for (const auto& record : trace["traceEvents"]) {
        if (record["ph"] == "M") {
            ++names;
            continue;
        }
        ++slices;
        const double start = record["ts"], end = start + record["dur"].get<double>();
        EXPECT_GE(start, 0);
        auto& stack = open[{record["pid"], record["tid"]}];
        while (!stack.empty() && stack.back().second <= start)
            stack.pop_back();
        if (!stack.empty()) {
            EXPECT_LE(end, stack.back().second);
        }
        stack.emplace_back(start, end);
        if (record["tid"] == 1) {
            EXPECT_EQ(record["args"]["bytes"], 4096);
            EXPECT_DOUBLE_EQ(record["args"]["wait_us"], 0.5);
        }
    }
    EXPECT_EQ(slices, 4);
    EXPECT_EQ(names, 5); // two processes, three tracks
}

// Members of one call are joined: who came first waited until the last was ready, the rest is transfer.
TEST(ChromeTraceTest, RecordsOfACallAreJoinedToWaitAndTransfer) {
    ExchangeRecord early;
    early.rank = 2;
    early.first_rank = 2;
    early.sequence = 5;
    early.group = ExchangeGroup::Ulysses;
    early.op = ExchangeOp::AllToAll;
    early.purpose = ExchangePurpose::Qkv;
    early.issued_ns = early.ready_ns = early.start_ns = 1000;
    early.end_ns = 9000;
    early.bytes_sent = 100;
    early.bytes_received = 60;
    early.layer = 3;
    ExchangeRecord late = early, other = early;
    late.rank = 3;
    late.issued_ns = late.ready_ns = late.start_ns = 7000;
    other.first_rank = 0; // the same number in another group of the axis
    other.rank = 0;
    other.end_ns = 2000;
    std::vector<TelemetryEvent> events{span(EventKind::Exchange, 1000, 9000, 2),
                                       span(EventKind::Step, 0, 10000, 2)};
    const auto trace = nlohmann::json::parse(chrome_trace_json(events, {early, late, other}, 0, "ulysses2"));
    std::map<int, nlohmann::json> by_rank;
    for (const auto& record : trace["traceEvents"])
        if (record["ph"] == "X" && record["tid"] == 1) by_rank[record["pid"]] = record;
    ASSERT_EQ(by_rank.size(), 3U); // the event of rank 2 is not there twice
    EXPECT_EQ(by_rank[2]["name"], "qkv exchange");
    EXPECT_EQ(by_rank[2]["args"]["op"], "all_to_all");
    EXPECT_EQ(by_rank[2]["args"]["group"], "ulysses");
    EXPECT_EQ(by_rank[2]["args"]["bytes_received"], 60);
    EXPECT_EQ(by_rank[2]["args"]["block"], 3);
    EXPECT_DOUBLE_EQ(by_rank[2]["args"]["wait_us"], 6);
    EXPECT_DOUBLE_EQ(by_rank[2]["args"]["transfer_us"], 2);
    EXPECT_DOUBLE_EQ(by_rank[3]["args"]["wait_us"], 0);
    EXPECT_DOUBLE_EQ(by_rank[3]["args"]["transfer_us"], 2);
    EXPECT_DOUBLE_EQ(by_rank[0]["args"]["wait_us"], 0);
}

TEST(ChromeTraceTest, EmptyRunIsStillATrace) {
    EXPECT_TRUE(nlohmann::json::parse(chrome_trace_json({}, {}, 0, "single"))["traceEvents"].empty());
}

} // namespace
} // namespace reelmesh
