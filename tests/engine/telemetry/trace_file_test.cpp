#include "telemetry/trace_file.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <limits>

#include "base/check.h"
#include "support/scratch_folder.h"
#include "trace_fixture.h"

namespace reelmesh::testing {
namespace {

class TraceFileTest : public ::testing::Test {
protected:
    std::string path(const char* name) const { return folder_ / name; }

    static Trace sample() {
        Trace trace;
        trace.events = {span_event(EventKind::Step, 5, 90, 0), exchange_event(10, 20, 1)};
        trace.dropped = 3;
        trace.mesh = "ulysses2";
        trace.devices = {"cpu", "cpu"};
        trace.job_json = "{\"prompt\":\"a kite\"}";
        trace.detail = 2;
        trace.counters = {{"Power", "W", {1, 2}, {100.5, 90}}};
        return trace;
    }
    std::string bytes_of(const Trace& trace) const {
        EXPECT_TRUE(write_trace(path("kept.reeltrace"), trace));
        return read_file(path("kept.reeltrace"));
    }
    Error error_of(const std::string& bytes) const {
        write_file(path("given.reeltrace"), bytes);
        const Result<Trace> trace = read_trace(path("given.reeltrace"));
        return trace ? Error{} : trace.error();
    }

private:
    ScratchFolder folder_;
};

TEST_F(TraceFileTest, WhatIsWrittenIsRead) {
    const Trace trace = sample();
    ASSERT_TRUE(write_trace(path("run.reeltrace"), trace));
    ASSERT_TRUE(write_trace(path("run.reeltrace"), trace)); // replaces
    const Result<Trace> read = read_trace(path("run.reeltrace"));
    ASSERT_TRUE(read) << error_message(read.error());
    ASSERT_EQ(read->events.size(), trace.events.size());
    EXPECT_EQ(std::memcmp(read->events.data(), trace.events.data(), 2 * sizeof(TelemetryEvent)), 0);
    EXPECT_EQ(read->dropped, 3U);
    EXPECT_EQ(read->mesh, trace.mesh);
    EXPECT_EQ(read->devices, trace.devices);
    EXPECT_EQ(read->job_json, trace.job_json);
    EXPECT_EQ(read->detail, 2);
    EXPECT_EQ(read->counters, trace.counters);
}

TEST_F(TraceFileTest, AnyChangedByteIsNoticed) {
    const std::string whole = bytes_of(sample());
    for (std::size_t at = 0; at < whole.size(); ++at) {
        std::string changed = whole;
        changed[at] = static_cast<char>(changed[at] ^ 0x40);
        EXPECT_NE(error_of(changed).code, ErrorCode::None) << at;
    }
}

TEST_F(TraceFileTest, CutAndLengthenedFilesAreRefused) {
    const std::string whole = bytes_of(sample());
    for (std::size_t size = 1; size < whole.size(); ++size)
        EXPECT_NE(error_of(whole.substr(0, size)).code, ErrorCode::None) << size;
    EXPECT_EQ(error_of(whole + "x").code, ErrorCode::TrailingBytes);
}

TEST_F(TraceFileTest, RefusalNamesFileFoundNeededAndWhatToDo) {
    std::string later = bytes_of(sample());
    later[offsetof(TraceHead, version)] = 9;
    const std::string text = error_message(error_of(later));
    for (const char* part : {"given.reeltrace", "another version", "found 9", "needed 1", "record it again"})
        EXPECT_NE(text.find(part), std::string::npos) << text;
    EXPECT_NE(error_message(error_of(std::string(200, 'x'))).find("choose another file"), std::string::npos);
}

TEST_F(TraceFileTest, EventsThatNobodyRecordsAreRefused) {
    std::vector<TelemetryEvent> faulty(7, span_event(EventKind::Step, 5, 90, 0));
    faulty[0].end_ns = 4;
    faulty[1].kind = static_cast<EventKind>(99);
    faulty[2].rank = -2;
    faulty[3].wait_ns = -1;
    faulty[4].op = static_cast<ExchangeOp>(50);
    faulty[5].end_ns = std::numeric_limits<std::int64_t>::max();
    faulty[6].wait_ns = std::numeric_limits<std::int64_t>::max();
    for (const TelemetryEvent& event : faulty) {
        Trace trace = sample();
        trace.events[1] = event;
        EXPECT_EQ(error_of(bytes_of(trace)).code, ErrorCode::FileUnreadable);
    }
}

TEST_F(TraceFileTest, HugeCountsCostNoMemory) {
    std::string whole = bytes_of(sample());
    const std::uint64_t many = std::uint64_t{1} << 60;
    std::memcpy(whole.data() + offsetof(TraceHead, events), &many, sizeof many);
    EXPECT_EQ(error_of(whole).code, ErrorCode::LimitExceeded);
}

TEST_F(TraceFileTest, MissingFolderIsToldWhenWriting) {
    const Result<bool> written = write_trace(path("none/run.reeltrace"), sample());
    ASSERT_FALSE(written);
    EXPECT_EQ(written.error().code, ErrorCode::FolderMissing);
}

} // namespace
} // namespace reelmesh::testing
