#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "engine/block_part.h"
#include "trace_fixture.h"

namespace reelmesh::testing {
namespace {

using Json = nlohmann::json;

TEST(TraceJsonTest, SlicesNestAndTracksAreNamed) {
    Trace trace;
    trace.dropped = 7;
    trace.mesh = "ulysses2";
    trace.devices = {"cpu", "a \"quoted\" \xFF"};
    trace.events = {
        span_event(EventKind::Block, 2000, 3000, 1),    span_event(EventKind::Step, 1000, 5000, 1),
        span_event(EventKind::Stage, 1000, 9000, -1),   exchange_event(3000, 4500, 1),
        span_event(EventKind::Encode, 8000, 12000, -1), span_event(EventKind::Part, 2000, 2600, 1)};
    trace.events[2].detail = static_cast<std::uint16_t>(Stage::Decode);
    trace.events[5].detail = static_cast<std::uint16_t>(BlockPart::SelfAttention);
    const Json json = Json::parse(trace_json(trace));
    EXPECT_EQ(json["otherData"]["dropped"], 7);
    EXPECT_EQ(json["otherData"]["mesh"], "ulysses2");

    std::map<std::pair<int, int>, std::vector<double>> open_ends;
    std::set<std::string> names;
    int tracks = 0;
    for (const Json& record : json["traceEvents"]) {
        if (record["ph"] == "M") {
            tracks += record["name"] == "thread_name";
            continue;
        }
        names.insert(record["name"]);
        const double start = record["ts"], end = start + record["dur"].get<double>();
        EXPECT_GE(start, 0);
        auto& open = open_ends[{record["pid"], record["tid"]}];
        while (!open.empty() && open.back() <= start)
            open.pop_back();
        if (!open.empty()) {
            EXPECT_LE(end, open.back()) << record;
        }
        open.push_back(end);
    }
    EXPECT_EQ(names, (std::set<std::string>{"work", "step 0", "decode", "qkv exchange", "encode",
                                            "self attention"}));
    EXPECT_EQ(tracks, 4); // rank 1 computes and talks, the host has stages and its encoder
}

TEST(TraceJsonTest, EachCollectiveIsOneFlowThroughAllItsRanks) {
    Trace trace;
    for (std::uint32_t call = 1; call <= 3; ++call)
        for (int rank = 0; rank < 4; ++rank)
            trace.events.push_back(
                exchange_event(1000 * call + rank, 1000 * call + 500, rank, rank / 2 * 2, call));
    trace.events.push_back(exchange_event(9000, 9500, 0, 0, 4)); // its peer's part was dropped
    std::map<int, std::vector<std::pair<std::string, int>>> flows;
    const Json json = Json::parse(trace_json(trace));
    for (const Json& record : json["traceEvents"])
        if (record["ph"] != "X" && record["ph"] != "M")
            flows[record["id"]].emplace_back(record["ph"], record["pid"]);
    ASSERT_EQ(flows.size(), 6U);
    for (const auto& [id, points] : flows) {
        ASSERT_EQ(points.size(), 2U);
        EXPECT_EQ(points[0].first, "s");
        EXPECT_EQ(points[1].first, "f");
        EXPECT_EQ(points[0].second / 2, points[1].second / 2);
        EXPECT_NE(points[0].second, points[1].second);
    }
}

TEST(TraceJsonTest, ExchangesCarryKinetosNamesAndRates) {
    Trace trace;
    trace.events = {exchange_event(1000, 5000, 2, 2), exchange_event(1000, 5000, 3, 2)};
    trace.events[0].bytes = 6000;
    trace.events[0].wait_ns = 1000;
    Json about;
    const Json json = Json::parse(trace_json(trace));
    for (const Json& record : json["traceEvents"])
        if (record["ph"] == "X" && record["pid"] == 2) about = record["args"];
    EXPECT_EQ(about["Collective name"], "all_to_all");
    EXPECT_EQ(about["In msg nelems"], 6000);
    EXPECT_EQ(about["dtype"], "Byte");
    EXPECT_EQ(about["Group size"], 2);
    EXPECT_EQ(about["Process Group Ranks"], "[2, 3]");
    EXPECT_DOUBLE_EQ(about["wait_us"], 1);
    EXPECT_DOUBLE_EQ(about["transfer_us"], 3);
    EXPECT_DOUBLE_EQ(about["bus_gb_s"], 2);
    EXPECT_DOUBLE_EQ(about["algorithm_gb_s"], 4);
}

TEST(TraceJsonTest, EmptyRunIsStillATrace) {
    EXPECT_TRUE(Json::parse(trace_json({}))["traceEvents"].empty());
}

TEST(ExchangeRatesTest, FollowTheOperation) {
    TelemetryEvent event = exchange_event(0, 1000, 0);
    event.group_size = 4;
    event.bytes = event.bytes_received = 3000;
    const std::map<ExchangeOp, double> expected{{ExchangeOp::AllToAll, 4e9},
                                                {ExchangeOp::AllGather, 4e9},
                                                {ExchangeOp::AllReduce, 2e9},
                                                {ExchangeOp::SendRecv, 3e9}};
    for (const auto& [op, rate] : expected) {
        event.op = op;
        EXPECT_DOUBLE_EQ(algorithm_rate(event), rate) << exchange_op_name(op);
        EXPECT_DOUBLE_EQ(bus_rate(event), 3e9);
    }
    event.op = ExchangeOp::Broadcast; // the root sends to three others
    event.bytes_received = 0;
    EXPECT_DOUBLE_EQ(algorithm_rate(event), 1e9);
    event.wait_ns = 5000; // longer than the span, as of a call whose start was hidden behind work
    EXPECT_TRUE(std::isnan(bus_rate(event)));
}

} // namespace
} // namespace reelmesh::testing
