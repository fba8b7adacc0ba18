#include "commands.h"
#include "json_output.h"
#include "plan_text.h"
#include "progress_bar.h"

#include "support/fake_engine.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace reelmesh {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

struct Outcome {
    int code = -1;
    std::string output, errors;
    OrderedJson json() const { return OrderedJson::parse(output); }
};

using Command = int (*)(Engine&, const CommandLine&, Console&);

Outcome run(Engine& engine, Command command, std::vector<std::string> arguments,
            Console::Terminal terminal = Console::Terminal::No) {
    const CommandLine line = parse_command_line(std::move(arguments));
    EXPECT_THAT(line.errors, IsEmpty());
    std::ostringstream output, errors;
    Console console(output, errors, line, terminal);
    Outcome outcome;
    outcome.code = command(engine, line, console);
    EXPECT_TRUE(console.finish());
    outcome.output = output.str();
    outcome.errors = errors.str();
    return outcome;
}

Error error_of(ErrorCode code) {
    Error error;
    error.code = code;
    return error;
}

TEST(GenerateTest, JsonHasAnEntryAJob) {
    FakeEngine engine;
    const Outcome outcome =
        run(engine, run_generate,
            {"generate", "--prompt", "a", "--steps", "3", "--seed", "18446744073709551615", "--json"});
    EXPECT_EQ(outcome.code, 0);
    const OrderedJson job = outcome.json().at("jobs").at(0);
    EXPECT_EQ(job.at("state"), "done");
    EXPECT_TRUE(job.at("error").is_null());
    for (const char* key :
         {"id", "output", "frames", "seed", "mesh", "timings_s", "bytes_by_axis", "peak_bytes"})
        EXPECT_TRUE(job.contains(key)) << key;
    for (const char* stage : {"load", "text", "denoise", "decode", "write"})
        EXPECT_TRUE(job.at("timings_s").contains(stage)) << stage;

    int steps = 0;
    std::istringstream lines(outcome.errors);
    for (std::string text; std::getline(lines, text);) {
        const OrderedJson event = OrderedJson::parse(text);
        if (event.at("event") != "step") continue;
        EXPECT_EQ(event.at("step"), ++steps);
        EXPECT_EQ(event.at("steps"), 3);
        EXPECT_TRUE(event.contains("s_per_step") && event.contains("eta_s"));
    }
    EXPECT_EQ(steps, 3);
}

TEST(GenerateTest, ProgressStaysOffTheStandardOutput) {
    FakeEngine engine;
    const std::vector<std::string> arguments{"generate", "--steps", "2"};
    EXPECT_THAT(run(engine, run_generate, arguments).errors, HasSubstr("2/2"));
    const Outcome bar = run(engine, run_generate, arguments, Console::Terminal::Yes);
    EXPECT_THAT(bar.errors, HasSubstr("\r"));
    EXPECT_THAT(bar.output, testing::Not(HasSubstr("denoise")));
    EXPECT_EQ(run(engine, run_generate, {"generate", "--steps", "2", "--quiet"}).errors, "");
}

TEST(GenerateTest, AFailedJobGivesItsCodeAndReason) {
    FakeScript script;
    script.failure = error_of(ErrorCode::NotFinite);
    FakeEngine engine(script);
    const Outcome outcome = run(engine, run_generate, {"generate", "--steps", "2", "--json"});
    EXPECT_EQ(outcome.code, 1);
    const OrderedJson job = outcome.json().at("jobs").at(0);
    EXPECT_EQ(job.at("state"), "failed");
    EXPECT_EQ(job.at("error").at("code"), "NotFinite");
}

TEST(GenerateTest, RefusalsListEveryFault) {
    FakeScript script;
    script.refusal = error_of(ErrorCode::BadField);
    script.refusal.arguments = {{"field", std::string("height")}, {"found", std::int64_t{360}}};
    FakeEngine engine(script);
    const std::vector<std::string> arguments{"generate", "--size", "640x360", "--frames", "80"};
    const Outcome text = run(engine, run_generate, arguments);
    EXPECT_EQ(text.code, 2);
    EXPECT_EQ(text.output, "");
    EXPECT_THAT(text.errors, testing::AllOf(HasSubstr("height"), HasSubstr("frames"), HasSubstr("77, 81")));

    std::vector<std::string> with_json = arguments;
    with_json.push_back("--json");
    const Outcome json = run(engine, run_generate, with_json);
    ASSERT_EQ(json.json().at("errors").size(), 2u);
    EXPECT_EQ(json.json().at("errors").at(1).at("arguments").at("nearest"),
              OrderedJson::parse(R"(["77","81"])"));
}

TEST(GenerateTest, FlagsBeatJobFiles) {
    const std::string path = testing::TempDir() + "/reelmesh_commands_test.reeljob";
    std::ofstream(path) << R"({"steps": 7, "seed": "5", "frames": 5, "future": 1, "schema": 2})";
    FakeEngine engine;
    const Outcome outcome =
        run(engine, run_generate,
            {"generate", "--job", path, "--job", path, "--steps", "2", "--dry-run", "--json"});
    std::filesystem::remove(path);
    EXPECT_EQ(outcome.code, 0);
    ASSERT_EQ(outcome.json().at("jobs").size(), 2u);
    const OrderedJson job = outcome.json().at("jobs").at(1).at("job");
    EXPECT_EQ(job.at("steps"), 2);
    EXPECT_EQ(job.at("seed"), "5");
    EXPECT_EQ(job.at("frames"), 5);
    EXPECT_THAT(outcome.errors, testing::AllOf(HasSubstr("schema 2"), HasSubstr("future")));
}

TEST(GenerateTest, UnreadableJobFilesAreRefusedTogether) {
    FakeEngine engine;
    const Outcome outcome = run(
        engine, run_generate,
        {"generate", "--job", "/nowhere/a.reeljob", "--job", "/nowhere/b.json", "--steps", "x", "--json"});
    EXPECT_EQ(outcome.code, 4);
    EXPECT_EQ(outcome.json().at("errors").size(), 3u);
}

TEST(PlanTest, PresetsStandForModelAndMachine) {
    FakeEngine engine;
    const Outcome outcome =
        run(engine, run_plan,
            {"plan", "--family", kFakePreset, "--hardware", kFakeMachine, "--size", "64x64", "--json"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.json().at("family"), kFakePreset);
    const OrderedJson plan = outcome.json().at("plans").at(0);
    for (const char* key : {"mesh", "step_s", "total_s", "peak_bytes", "bytes", "total_bytes", "exposed_s",
                            "exact", "shares", "weights", "uneven", "warnings", "refusal"})
        EXPECT_TRUE(plan.contains(key)) << key;
    EXPECT_EQ(run(engine, run_plan, {"plan", "--family", "unknown"}).code, 1);
    EXPECT_EQ(run(engine, run_plan, {"plan", "--hardware", "unknown"}).code, 1);
    EXPECT_EQ(run(engine, run_plan, {"plan", "--steps", "x"}).code, 2);
}

TEST(ParityTest, ADifferenceBeyondTheBoundIsTheExitCode) {
    FakeEngine engine;
    const Outcome equal = run(engine, run_parity, {"parity", "--mesh", "cfg2", "--json"});
    EXPECT_EQ(equal.code, 0);
    EXPECT_EQ(equal.json().at("mesh"), "cfg2");
    EXPECT_EQ(equal.json().at("against"), "single");
    EXPECT_TRUE(equal.json().at("within"));
    const Outcome apart = run(engine, run_parity, {"parity", "--mesh", "ring2"});
    EXPECT_EQ(apart.code, 1);
    EXPECT_NE(apart.output.find("DIFFERENT"), std::string::npos) << apart.output;
    EXPECT_EQ(run(engine, run_parity, {"parity", "--steps", "x"}).code, 2);
}

TEST(BenchTest, PrintsItsCasesAsJson) {
    FakeEngine engine;
    const Outcome outcome = run(engine, run_bench, {"bench", "mesh"});
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.json().at("cases").at(0).at("name"), "cfg2");
    EXPECT_EQ(outcome.json().at("cases").at(0).at("of_ceiling"), 0.99);
    EXPECT_EQ(run(engine, run_bench, {"bench", "unknown"}).code, 1);
}

TEST(JsonOutputTest, PlansShowEveryAxisAndTheRuleOfARefusal) {
    Plan plan;
    plan.mesh = "cfg2";
    plan.axes = {{"cfg", 10, 20, 0.5}, {"vae", 30, 40, 0.25}};
    plan.shares = {{"cuda:0", 7, 8, 9}};
    plan.weights = {1, 0.5};
    plan.warnings = {"uneven heads: 12 over 5"};
    plan.uneven = true;
    plan.refusal = error_of(ErrorCode::MeshIllegal);
    plan.refusal->arguments = {{"axis", std::string("cfg")},
                               {"found", std::int64_t{2}},
                               {"needed", std::string("one")},
                               {"nearest", std::vector<std::string>{"single"}}};
    PlanSet set;
    set.plans = {plan};
    const OrderedJson object = plan_json(set).at("plans").at(0);
    EXPECT_EQ(object.at("bytes").at("cfg"), 10);
    EXPECT_EQ(object.at("total_bytes").at("vae"), 40);
    EXPECT_EQ(object.at("exposed_s").at("cfg"), 0.5);
    EXPECT_EQ(object.at("shares").at(0).at("tokens"), 7);
    EXPECT_EQ(object.at("weights").at(1), 0.5);
    EXPECT_EQ(object.at("refusal").at("rule"), "cfg");
    EXPECT_EQ(object.at("refusal").at("found"), 2);
    EXPECT_EQ(object.at("refusal").at("nearest").at(0), "single");
    plan.refusal.reset();
    set.plans = {plan};
    EXPECT_THAT(plan_text(set),
                testing::AllOf(HasSubstr("cfg sends 10 B a rank and step"), HasSubstr("12 over 5")));
}

TEST(TokenizeTest, InvalidPromptsAreRefusedBeforeTheModel) {
    FakeEngine engine;
    const Outcome outcome = run(engine, run_tokenize, {"tokenize", "a\xFF", "--json"});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.json().at("errors").at(0).at("code"), "PromptNotUtf8");
}

TEST(InfoTest, JsonHasEveryKey) {
    FakeEngine engine;
    const OrderedJson info = run(engine, run_info, {"info", "--json"}).json();
    for (const char* key :
         {"version", "torch", "cuda", "nccl", "devices", "links", "encoders", "no_gpu_reason", "gpu_notices"})
        EXPECT_TRUE(info.contains(key)) << key;
}

TEST(JsonOutputTest, ErrorsKeepTheirArgumentsAndPlace) {
    Error error = error_of(ErrorCode::NotFinite);
    error.arguments = {{"tensor", std::string("x\xFF")}, {"value", 0.5}};
    error.stage = Stage::Denoise;
    error.rank = 1;
    error.step = 2;
    const OrderedJson object = OrderedJson::parse(json_text(error_json(error)));
    EXPECT_EQ(object.at("code"), "NotFinite");
    EXPECT_EQ(object.at("arguments").at("tensor"), "x\xEF\xBF\xBD");
    EXPECT_EQ(object.at("arguments").at("value"), 0.5);
    EXPECT_EQ(object.at("stage"), "denoise");
    EXPECT_EQ(object.at("rank"), 1);
    EXPECT_EQ(object.at("step"), 3);
}

TEST(JsonOutputTest, ModelsShowPlanAndPeak) {
    InspectReport report;
    report.kind = "model";
    report.missing = {"a.weight"};
    Plan plan;
    plan.mesh = "single";
    plan.memory.base = 1;
    plan.memory.weights = 2;
    plan.memory.text = 4;
    plan.memory.decode = 8;
    plan.memory.write = 16;
    report.plan.plans = {plan};
    report.plan.plans.push_back(plan);
    report.plan.plans.back().refusal = error_of(ErrorCode::MemoryTooSmall);
    const OrderedJson object = inspect_json(report);
    EXPECT_EQ(object.at("missing").at(0), "a.weight");
    EXPECT_EQ(object.at("plan").at("peak_bytes"), 27);
    EXPECT_TRUE(object.at("plan").at("plans").at(0).at("refusal").is_null());
    EXPECT_EQ(object.at("plan").at("plans").at(1).at("refusal").at("code"), "MemoryTooSmall");
    EXPECT_THAT(plan_text(report.plan), HasSubstr("27 B"));
}

TEST(JsonOutputTest, MediaRatesStayExact) {
    InspectReport report;
    report.kind = "media";
    report.fps = {30000, 1001};
    report.job_json = R"({"seed":"7"})";
    EXPECT_EQ(inspect_json(report).at("fps"), "30000/1001");
    EXPECT_EQ(inspect_json(report).at("job").at("seed"), "7");
    report.fps = {16, 1};
    report.job_json.clear();
    EXPECT_EQ(inspect_json(report).at("fps"), 16);
    EXPECT_TRUE(inspect_json(report).at("job").is_null());
}

TEST(ProgressTextTest, DurationsAndSizes) {
    EXPECT_EQ(duration_text(0), "0:00");
    EXPECT_EQ(duration_text(93.2), "1:34");
    EXPECT_EQ(duration_text(7384), "2:03:04");
    EXPECT_EQ(duration_text(-1), "?");
    EXPECT_EQ(seconds_text(3.4), "3.40 s");
    EXPECT_EQ(bytes_text(1023), "1023 B");
    EXPECT_EQ(bytes_text(1536), "1.50 KiB");
    EXPECT_EQ(bytes_text(std::uint64_t{5} << 30), "5.00 GiB");
}

} // namespace
} // namespace reelmesh
