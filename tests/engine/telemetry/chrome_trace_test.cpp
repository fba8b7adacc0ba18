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
    const auto trace = nlohmann::json::parse(chrome_trace_json(events, 7, "cfg2"));
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

TEST(ChromeTraceTest, EmptyRunIsStillATrace) {
    EXPECT_TRUE(nlohmann::json::parse(chrome_trace_json({}, 0, "single"))["traceEvents"].empty());
}

} // namespace
} // namespace reelmesh
