#include <gtest/gtest.h>

#include <cmath>

#include "engine/block_part.h"
#include "trace_fixture.h"

namespace reelmesh::testing {
namespace {

TotalsRow row_of(const std::vector<TotalsRow>& rows, int rank, const std::string& kind) {
    for (const TotalsRow& row : rows)
        if (row.rank == rank && row.kind == kind) return row;
    ADD_FAILURE() << "no row of rank " << rank << " " << kind;
    return {};
}

// A block without recorded parts does not compute while its rank exchanges.
TEST(TraceTotalsTest, ExchangeWithinABlockIsExposed) {
    std::vector<TelemetryEvent> events{span_event(EventKind::Step, 0, 2000, 0),
                                       span_event(EventKind::Block, 100, 1100, 0),
                                       exchange_event(300, 700, 0)};
    events[1].work = EventWork::Attention;
    events[2].wait_ns = 100;
    events[2].bytes = 600;
    const auto rows = trace_totals(events, 0, 2000);
    const TotalsRow all = row_of(rows, 0, "");
    EXPECT_EQ(all.busy_ns, 600);
    EXPECT_EQ(all.comm_ns, 300);
    EXPECT_EQ(all.exposed_ns, 300);
    EXPECT_EQ(all.wait_ns, 100);
    EXPECT_EQ(all.bytes, 600U);
    EXPECT_DOUBLE_EQ(all.bytes_per_s(), 2e9);
    EXPECT_EQ(row_of(rows, 0, "block").busy_ns, 600);
    EXPECT_EQ(row_of(rows, 0, "ulysses").comm_ns, 300);
}

TEST(TraceTotalsTest, TransferBesideAPartIsHidden) {
    std::vector<TelemetryEvent> events{span_event(EventKind::Block, 0, 1000, 0),
                                       span_event(EventKind::Part, 0, 600, 0), exchange_event(400, 800, 0)};
    events[1].work = EventWork::Attention;
    const auto rows = trace_totals(events, 0, 1000);
    const TotalsRow all = row_of(rows, 0, "");
    EXPECT_EQ(all.busy_ns, 600);
    EXPECT_EQ(all.comm_ns, 400);
    EXPECT_EQ(all.exposed_ns, 200);
    EXPECT_EQ(row_of(rows, 0, "attention").busy_ns, 600);
}

TEST(TraceTotalsTest, SpanCutsEventsAndSharesTheirBytes) {
    std::vector<TelemetryEvent> events{span_event(EventKind::Block, 0, 1000, 1),
                                       exchange_event(1000, 2000, 1)};
    events[1].bytes = 1000;
    const TotalsRow all = row_of(trace_totals(events, 500, 1250), 1, "");
    EXPECT_EQ(all.busy_ns, 500);
    EXPECT_EQ(all.comm_ns, 250);
    EXPECT_EQ(all.bytes, 250U);
}

TEST(TraceTotalsTest, StepsCountWhereNothingFinerWasRecorded) {
    std::vector<TelemetryEvent> events{span_event(EventKind::Step, 0, 1000, 0),
                                       span_event(EventKind::Preview, 900, 950, 0),
                                       span_event(EventKind::Stage, 0, 1000, -1)};
    const auto rows = trace_totals(events, 0, 1000);
    EXPECT_EQ(row_of(rows, 0, "").busy_ns, 1000);
    EXPECT_EQ(row_of(rows, 0, "step").busy_ns, 1000);
    EXPECT_EQ(rows.front().rank, 0); // the host is no rank
}

TEST(TraceTotalsTest, UnknownRateIsNotZero) {
    EXPECT_TRUE(
        std::isnan(row_of(trace_totals(std::vector{span_event(EventKind::Part, 0, 10, 0)}, 0, 10), 0, "")
                       .bytes_per_s()));
}

} // namespace
} // namespace reelmesh::testing
