#include <engine/trace.h>
#include <gmock/gmock.h>

#include <sstream>

#include "commands.h"
#include "json_output.h"
#include "support/recorded_trace.h"
#include "support/scratch_folder.h"

namespace reelmesh::testing {
namespace {

class TraceCommandTest : public ::testing::Test {
protected:
    struct Outcome {
        int code = -1;
        std::string output, errors;
        OrderedJson json() const { return OrderedJson::parse(output); }
    };
    Outcome run_on(int (*command)(const CommandLine&, Console&), std::vector<std::string> arguments) {
        const CommandLine line = parse_command_line(std::move(arguments));
        EXPECT_THAT(line.errors, ::testing::IsEmpty());
        std::ostringstream output, errors;
        Console console(output, errors, line, Console::Terminal::No);
        Outcome outcome;
        outcome.code = command(line, console);
        EXPECT_TRUE(console.finish());
        outcome.output = output.str();
        outcome.errors = errors.str();
        return outcome;
    }
    ScratchFolder folder_;
    const std::string file_ = folder_ / "run.reeltrace";
    Trace trace_ = recordedTrace({.steps = 2, .blocks = 3});
};

TEST_F(TraceCommandTest, InspectSumsUpARange) {
    trace_.dropped = 4;
    ASSERT_TRUE(write_trace(file_, trace_));
    const Outcome outcome = run_on(run_inspect_trace, {"inspect", file_, "--range", "95:130.5", "--json"});
    EXPECT_EQ(outcome.code, 0);
    const OrderedJson json = outcome.json();
    EXPECT_EQ(json["kind"], "trace");
    EXPECT_EQ(json["events"], trace_.events.size());
    EXPECT_EQ(json["dropped"], 4);
    const std::int64_t begin = trace_span(trace_.events).begin_ns;
    const auto rows = trace_totals(trace_.events, begin + 95'000'000, begin + 130'500'000);
    ASSERT_EQ(json["totals"].size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const OrderedJson& row = json["totals"][i];
        EXPECT_EQ(row["rank"], rows[i].rank);
        EXPECT_EQ(row["kind"], rows[i].kind.empty() ? "all" : rows[i].kind);
        EXPECT_EQ(row["busy_ns"], rows[i].busy_ns);
        EXPECT_EQ(row["exposed_ns"], rows[i].exposed_ns);
        EXPECT_EQ(row["wait_ns"], rows[i].wait_ns);
        EXPECT_EQ(row["bytes"], rows[i].bytes);
    }
    for (const char* range : {"5", "7:5", "a:b", ":", "1:nan"})
        EXPECT_EQ(run_on(run_inspect_trace, {"inspect", file_, "--range", range}).code, 2) << range;
}

TEST_F(TraceCommandTest, ExportWritesPerfettosJsonOnce) {
    ASSERT_TRUE(write_trace(file_, trace_));
    const std::string target = folder_ / "out.json";
    const std::vector<std::string> arguments{"export", file_, "--format", "perfetto", "-o", target, "--json"};
    const Outcome outcome = run_on(run_export, arguments);
    EXPECT_EQ(outcome.code, 0) << outcome.errors;
    EXPECT_EQ(outcome.json()["output"], target);
    EXPECT_EQ(read_file(target), trace_json(trace_));
    EXPECT_EQ(run_on(run_export, arguments).code, 2); // never replaced
}

TEST_F(TraceCommandTest, OtherFilesAreRefusedWithWhatToDo) {
    write_file(file_, "not a trace at all, but long enough to hold a head of one");
    const Outcome outcome = run_on(run_inspect_trace, {"inspect", file_});
    EXPECT_EQ(outcome.code, 4);
    EXPECT_THAT(outcome.errors, ::testing::HasSubstr("run.reeltrace"));
    EXPECT_THAT(outcome.errors, ::testing::HasSubstr("choose another file"));
}

} // namespace
} // namespace reelmesh::testing
